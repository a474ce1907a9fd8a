"""Operations of LLVM by the builder of the door, and the sizes of types."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import VectorType, f16, f32, i8, i32, i64
from xdsl.ir import Block

from flydsl.backend.ir import StructType
from flydsl.backend.llvm import (
    LLVMBuilder,
    alignment_of,
    array_type,
    call_intrinsic,
    each_lane,
    lane_type,
    raw_operation,
    size_of,
)
from flydsl.backend.rewriting import block_ops
from flydsl.base.errors import IRError


def test_a_builder_adds_operations_at_the_end_of_a_block() -> None:
    block = Block(arg_types=[VectorType(f32, [2])])
    build = LLVMBuilder(block)
    doubled = each_lane(build, block.args[0], lambda x: call_intrinsic(build, "llvm.sqrt", [x], [f32]).results[0])
    assert doubled.type == VectorType(f32, [2])
    names = [op.name for op in block_ops(block)]
    assert names.count("llvm.call_intrinsic") == 2
    assert lane_type(doubled.type) == f32


def test_sizes_are_those_of_arrays() -> None:
    assert [size_of(type_) for type_ in (i8, f16, i32, i64, array_type(3, f16))] == [1, 2, 4, 8, 6]
    assert alignment_of(VectorType(f32, [3])) == 16
    with pytest.raises(IRError, match="has no size"):
        size_of(StructType((i32, i32)))


def test_an_operation_that_nobody_defined_has_a_class() -> None:
    assert raw_operation("llvm.tiny").name == "llvm.tiny"
