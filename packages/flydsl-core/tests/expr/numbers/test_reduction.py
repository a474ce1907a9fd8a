"""Reductions of vectors against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

NUMPY = {"ADD": np.sum, "MUL": np.prod, "MAX": np.max, "MIN": np.min}


def vector(x, shape=(2, 3)):
    count = int(np.prod(shape))
    return fx.Vector.from_elements([x * (i - 2) + i for i in range(count)], x.dtype).reshape(shape)


def array(x, shape=(2, 3)):
    return np.array([x * (i - 2) + i for i in range(int(np.prod(shape)))]).reshape(shape)


@pytest.mark.parametrize("op", list(NUMPY))
@pytest.mark.parametrize("dtype", [fx.Int32, fx.Float64])
def test_all_elements_to_one_number(computed, op, dtype):
    call = computed(lambda x: vector(x).reduce(getattr(fx.ReductionOp, op)), dtype)
    for x in (-2, 1, 3):
        assert call(x) == NUMPY[op](array(x))


@pytest.mark.parametrize(("profile", "axis"), [((None, 1), 1), ((1, None), 0)])
def test_extents_with_a_none_stay(computed, profile, axis):
    call = computed(lambda x: vector(x).reduce("add", reduction_profile=profile), fx.Int32)
    assert call(3) == np.sum(array(3), axis=axis).tolist()


def test_a_first_value_takes_part(computed):
    assert computed(lambda x: vector(x).reduce("add", init_val=100), fx.Int32)(1) == 100 + array(1).sum()


def test_unsigned_numbers_are_compared_without_sign(emitted):
    (op,) = [
        op
        for op in emitted(lambda x: fx.Vector.filled(2, x, fx.Uint32).reduce("max"), fx.Uint32).ops
        if "reduction" in op
    ]
    assert "maxui" in op


@pytest.mark.parametrize(("op", "kind"), [("max", "maxnumf"), ("min", "minimumf")])
def test_nan_takes_no_part_in_maxima_and_wins_minima(computed, emitted, op, kind):
    call = computed(lambda x: fx.Vector.from_elements([x, x * 0 + 2, x * 0 - 3], x.dtype).reduce(op), fx.Float32)
    assert call(float("nan")) != call(float("nan"))  # x * 0 is NaN too: nothing is left
    call = computed(
        lambda x: fx.Vector.from_elements([x, fx.Float32(2), fx.Float32(-3)], x.dtype).reduce(op), fx.Float32
    )
    if op == "max":
        assert call(float("nan")) == 2
    else:
        assert call(float("nan")) != call(float("nan"))
    assert call(1.0) == (2 if op == "max" else -3)
    (line,) = [
        line
        for line in emitted(lambda x: fx.Vector.filled(2, x, fx.Float32).reduce(op), fx.Float32).ops
        if "reduction" in line
    ]
    assert kind in line


def test_what_is_no_reduction(emitted):
    with pytest.raises(FrontendError, match="'mean' is not a reduction; known: fx.ReductionOp.ADD, fx.ReductionOp.MUL"):
        emitted(lambda x: vector(x).reduce("mean"), fx.Int32)
    with pytest.raises(FrontendError, match=r"a reduction of shape \(2, 3\) has a profile entry for each extent"):
        emitted(lambda x: vector(x).reduce("add", reduction_profile=(None,)), fx.Int32)
