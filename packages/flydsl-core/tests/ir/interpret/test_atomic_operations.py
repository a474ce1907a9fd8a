"""Read-modify-writes: what each kind makes of the old value and its operand."""

from __future__ import annotations

import math

import pytest
from xdsl.dialects.builtin import f32, i8, i32

from flydsl.ir.interpret.atomic_operations import combine


@pytest.mark.parametrize(
    ("kind", "old", "new", "expected"),
    [
        ("xchg", 1, 2, 2),
        ("add", 127, 1, -128),
        ("sub", -128, 1, 127),
        ("and", 6, 3, 2),
        ("nand", 6, 3, -3),
        ("or", 6, 3, 7),
        ("xor", 6, 3, 5),
        ("max", -1, 1, 1),
        ("umax", -1, 1, -1),
        ("min", -1, 1, -1),
        ("umin", -1, 1, 1),
        ("uinc_wrap", 4, 5, 5),
        ("uinc_wrap", 5, 5, 0),
        ("udec_wrap", 0, 5, 5),
        ("udec_wrap", 9, 5, 5),
        ("udec_wrap", 3, 5, 2),
    ],
)
def test_integers(kind: str, old: int, new: int, expected: int) -> None:
    assert combine(kind, i8)(old, new) == expected


def test_floats_are_rounded_and_a_number_wins_over_nan() -> None:
    assert combine("fadd", f32)(1.0, 2.0**-30) == 1.0
    assert combine("fmax", f32)(math.nan, 2.0) == 2.0
    assert combine("fmin", f32)(1.0, math.nan) == 1.0
    assert combine("add", i32)((1 << 31) - 1, 1) == -(1 << 31)
