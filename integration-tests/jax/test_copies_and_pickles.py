"""Kernels as functions of jax are copied and pickled as plain functions are."""

from __future__ import annotations

import copy
import pickle

import jax.numpy as jnp
import numpy as np
import pytest
from support.jax_kernels import add

from flydsl.jax import jax_kernel

add_arrays = jax_kernel(add, out=lambda x, y: x)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda function: pickle.loads(pickle.dumps(function))])
def test_a_copy_is_the_function(way):
    assert way(add_arrays) is add_arrays


def test_what_holds_one_is_copied():
    layer = copy.deepcopy({"function": jax_kernel(add, out=lambda x, y: x), "weights": np.ones(3, np.float32)})
    np.testing.assert_array_equal(layer["function"](jnp.ones(3), layer["weights"]), np.full(3, 2.0))


def test_one_that_has_no_name_says_so():
    with pytest.raises(pickle.PicklingError, match=r"<jax kernel add> cannot be pickled: no variable of a module"):
        pickle.dumps(jax_kernel(add, out=lambda x, y: x))
