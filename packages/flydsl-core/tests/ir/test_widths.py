"""Widths of types: integers to programs, attributes of xDSL still."""

from __future__ import annotations

import pytest
from xdsl.dialects import builtin

import flydsl.expr as fx
from flydsl.ir.widths import compute_with_widths


@pytest.mark.parametrize("dtype", [fx.Int8, fx.Int32, fx.Int128, fx.Float16, fx.BFloat16, fx.Float64])
def test_a_width_computes_as_its_number(dtype):
    compute_with_widths()
    width, bits = dtype.ir_type.width, dtype.width
    assert (width // 8, width * 2, 2 * width, 1024 - width, width % 7) == (
        bits // 8,
        bits * 2,
        2 * bits,
        1024 - bits,
        bits % 7,
    )
    assert width == bits != width + 1
    assert width <= bits < width + 1
    assert {bits: "found"}[int(width)] == "found"
    assert (int(width), f"i{width}", str(width), range(width)[-1]) == (bits, f"i{bits}", str(bits), bits - 1)


def test_types_are_told_apart_as_before():
    assert builtin.IntegerType(32) == builtin.i32 != builtin.i64
    assert hash(builtin.IntegerType(32)) == hash(builtin.i32)
    assert str(builtin.i32) == "i32"
