"""Quotients of integers that are rounded up, of both signs and with the highest bit set."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.arithmetic import wrapped
from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.ceiling_division import ceildiv

CASES = [
    (fx.Int32, [-7, -1, 0, 1, 9], [-3, 1, 2, 9]),
    (fx.Uint8, [0, 3, 200, 255], [1, 2, 16, 255]),
    (fx.Uint64, [5, 1 << 63, (1 << 64) - 1], [2, 7, 1 << 63]),
]


@pytest.mark.parametrize(("dtype", "numbers", "divisors"), CASES)
def test_quotients_are_rounded_up(computed, dtype, numbers, divisors):
    call = computed(lambda a, b: ceildiv(a, b).to(dtype), dtype, dtype)
    for a in numbers:
        for b in divisors:
            found = call(wrapped(a, dtype.width), wrapped(b, dtype.width))  # as the interpreter has them
            assert wrapped(found, dtype.width, signed=dtype.is_signed) == -(-a // b)
            assert ceildiv(dtype(a), dtype(b)).value == -(-a // b)


def test_floats_are_refused():
    with pytest.raises(FrontendError, match="ceildiv needs integers"):
        ceildiv(1.5, 2)
