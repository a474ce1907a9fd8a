"""The outputs of a call from what its caller says."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from flydsl.base.errors import ArgumentError, UnsupportedTensorError
from flydsl.jax.results import Results, described, kernel_dtype
from flydsl.plugins import DType

F32 = np.dtype("float32")


def of(out, *args, **kwargs):
    return Results.of("f", out, args, kwargs)


def test_descriptions_are_shapes_and_dtypes_in_any_container():
    one = jax.ShapeDtypeStruct((2, 3), jnp.float32)
    assert of(one).avals == (((2, 3), F32),)
    assert of(one).unflatten(["x"]) == "x"
    both = of({"b": jnp.ones(4, jnp.int32), "a": [one]})
    assert both.avals == (((2, 3), F32), ((4,), np.dtype("int32")))
    assert both.unflatten(["x", "y"]) == {"a": ["x"], "b": "y"}
    assert of(()).avals == ()


def test_a_function_is_called_as_the_kernel_is():
    seen = []

    def out(x, pair, *, n):
        seen.append((x, pair, n))
        return jax.ShapeDtypeStruct((*x.shape, n), pair[0].dtype)

    assert of(out, np.ones(3), (np.ones(2, np.int8), "text"), n=5).avals == (((3, 5), np.dtype("int8")),)
    assert seen == [(jax.ShapeDtypeStruct((3,), jnp.float32), (jax.ShapeDtypeStruct((2,), jnp.int8), "text"), 5)]


def test_equal_results_are_one_key_and_stay_what_they_are():
    made = of((jnp.ones(3), jnp.ones(3)))
    assert made == of((np.zeros(3, np.float32),) * 2) != of([jnp.ones(3), jnp.ones(3)])
    assert of(made) is made


@pytest.mark.parametrize("out", [3, None, "x", [None], (1, 2)])
def test_what_describes_nothing_is_refused(out):
    with pytest.raises(ArgumentError, match="f: `out` describes each output by shape and dtype"):
        of(out)


def test_wide_dtypes_need_the_setting_of_jax():
    wide = jax.ShapeDtypeStruct((2,), np.float64)
    with pytest.raises(ArgumentError, match="`out` asks for float64, which jax has after .*jax_enable_x64"):
        of(wide)
    with jax.enable_x64(True):
        assert of(wide).avals == (((2,), np.dtype("float64")),)
    assert described(np.ones(2)).dtype == F32


def test_dtypes_are_those_that_kernels_have():
    assert kernel_dtype("x", jnp.bfloat16) == DType(4, 16)
    assert kernel_dtype("x", np.dtype("bool")) == DType(6, 8)
    for dtype, text in (("int4", "'int4', which kernels cannot"), (jax.random.key(0).dtype, "no elements")):
        with pytest.raises(UnsupportedTensorError, match=f"x has dtype .*{text}"):
            kernel_dtype("x", dtype)
