"""What is done to a scalar is done to every lane of a vector, in its place."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import VectorType, f16, f32, i32
from xdsl.ir import Attribute, Block

from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.lanes import each_lane, intrinsic_of_lanes, lane_type, narrowed


def test_a_lane_has_the_element_type_and_a_scalar_its_own() -> None:
    assert (lane_type(VectorType(f32, [2, 3])), lane_type(f16)) == (f32, f16)


@pytest.mark.parametrize(("type_", "calls"), [(f32, 1), (VectorType(f32, [4]), 4), (VectorType(f32, [2, 3]), 6)])
def test_an_intrinsic_is_called_for_each_lane_and_keeps_the_shape(type_: Attribute, calls: int) -> None:
    block = Block(arg_types=[type_])
    result = intrinsic_of_lanes(LLVMBuilder(block), "llvm.sqrt", block.args[0])
    assert result.type == type_
    assert [op.name for op in block.ops].count("llvm.call_intrinsic") == calls


def test_lanes_may_get_another_type_and_stay_in_their_order() -> None:
    block = Block(arg_types=[VectorType(f32, [3])])
    build = LLVMBuilder(block)
    result = each_lane(build, block.args[0], lambda lane: build.bitcast(lane, i32))
    assert result.type == VectorType(i32, [3])
    positions = [op.properties["static_position"].get_values() for op in block.ops if op.name == "vector.extract"]  # type: ignore[attr-defined]
    assert positions == [(0,), (1,), (2,)]
    gathered = next(op for op in block.ops if op.name == "vector.from_elements")
    assert [value.owner.name for value in gathered.operands] == ["llvm.bitcast"] * 3  # type: ignore[union-attr]


def test_rounding_is_left_out_where_the_type_is_right() -> None:
    block = Block(arg_types=[f32])
    build, value = LLVMBuilder(block), block.args[0]
    assert narrowed(build, value, f32) is value
    assert narrowed(build, value, f16).type == f16
