"""Python's operators on scalars: both orders of operands, and what NumPy's numbers do in them."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError

REFLECTED = {
    "__radd__": operator.add, "__rsub__": operator.sub, "__rmul__": operator.mul, "__rtruediv__": operator.truediv,
    "__rfloordiv__": operator.floordiv, "__rmod__": operator.mod, "__rand__": operator.and_, "__ror__": operator.or_,
    "__rxor__": operator.xor, "__rlshift__": operator.lshift, "__rrshift__": operator.rshift, "__rpow__": operator.pow,
}  # fmt: skip


@pytest.mark.parametrize("operation", list(REFLECTED.values()), ids=list(REFLECTED))
def test_a_python_number_may_stand_on_either_side(computed, operation):
    call = computed(lambda a, b: (operation(a, 3), operation(13, b)), fx.Int32, fx.Int32)
    assert call(22, 2) == [float(np.float32(operation(22, 3))), operation(13, 2)]


def test_signs_complements_and_magnitudes(computed):
    call = computed(lambda x: (-x, +x, ~x, abs(x)), fx.Int32)
    assert call(-6) == [6, -6, 5, 6]
    scalar = fx.Int32(4)
    assert +scalar is scalar


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
def test_comparisons_are_booleans_that_python_decides_when_static(compare):
    result = compare(fx.Int32(3), 5)
    assert result.dtype is fx.Boolean
    assert bool(result) is compare(3, 5)


@pytest.mark.parametrize("number", [np.float32(1.5), np.float64(1.5), np.int64(2)])
def test_numbers_of_numpy_are_python_numbers(computed, number):
    call = computed(lambda x: (x * number, number - x), fx.Float32)
    assert call(4.0) == [4.0 * float(number), float(number) - 4.0]


def test_arrays_and_functions_of_numpy_are_refused(emitted):
    def use(x):
        for compute in (lambda: np.ones(3) * x, lambda: np.sqrt(x)):
            with pytest.raises(FrontendError):
                compute()
        with pytest.raises(FrontendError, match="NumPy computes in Python, and .* is a value of a kernel; pass arrays"):
            np.asarray(x)

    emitted(use, fx.Float32)


def test_dynamic_vectors_are_keys_by_identity(emitted):
    def use(x):
        one, other = (fx.full(4, x, fx.Float32) for _ in range(2))
        assert hash(one) == hash(one)
        assert hash(one) != hash(other)

    emitted(use, fx.Float32)
