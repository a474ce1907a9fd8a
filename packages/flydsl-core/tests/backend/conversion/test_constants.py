"""Constants of narrow floats as integers of the same bits."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, VectorType, f32, i8, i32

from flydsl.backend.conversion.constants import narrow_constant
from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_type

E4M3 = parse_type("f8E4M3FN")


def test_a_number_is_the_integer_of_its_bits() -> None:
    assert narrow_constant(FloatAttr(1.0, E4M3), i8) == IntegerAttr(0x38, i8)  # type: ignore[arg-type]
    assert narrow_constant(FloatAttr(-448.0, E4M3), i8) == IntegerAttr(0xFE, i8)  # type: ignore[arg-type]


def test_each_lane_of_a_vector_is() -> None:
    value = DenseIntOrFPElementsAttr.from_list(VectorType(E4M3, [2]), [1.0, -2.0])
    found = narrow_constant(value, VectorType(i8, [2]))
    assert isinstance(found, DenseIntOrFPElementsAttr)
    assert [int(lane) & 0xFF for lane in found.get_values()] == [0x38, 0xC0]


def test_other_constants_are_refused() -> None:
    with pytest.raises(IRError, match=r"a constant 3 : i32 cannot be written as i8"):
        narrow_constant(IntegerAttr(3, i32), i8)
    with pytest.raises(IRError, match="constants of f32 are not supported"):
        narrow_constant(FloatAttr(1.0, f32), i32)
