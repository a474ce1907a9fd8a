"""NumPy's functions lead to those of the language."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.numpy_functions import COUNTERPARTS, OPERATORS


@pytest.mark.parametrize("name", sorted(COUNTERPARTS))
def test_the_counterpart_of_a_numpy_function_exists(name):
    assert isinstance(getattr(np, name), np.ufunc)
    assert callable(getattr(fx, COUNTERPARTS[name]))


def test_the_refusal_names_the_counterpart(emitted):
    with pytest.raises(FrontendError, match=r"numpy\.absolute computes in Python, .*; use fx\.absf$"):
        emitted(np.abs, fx.Float32)


@pytest.mark.parametrize("name", sorted(OPERATORS))
def test_operators_take_numpy_scalars(name):
    if name in ("divide", "true_divide"):
        assert getattr(np, name)(np.float32(7), fx.Float32(2)).value == 3.5
    else:
        assert getattr(np, name)(np.int32(7), fx.Int32(2)).value == getattr(np, name)(7, 2)
