"""Typed helpers over operations: each builds the operation that its name says."""

from __future__ import annotations

import pytest
from expressions import compiled
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IndexType, IntegerAttr, VectorType, f32, i1, i8, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from flydsl.base.location import Location
from flydsl.ir.build import Builder
from flydsl.ir.location import get_location
from flydsl.ir.parse import parse_type
from flydsl.passes.to_llvm.builder import DYNAMIC_INDEX, LLVMBuilder, array_type, pointer_type, splat


def build(*types: Attribute) -> LLVMBuilder:
    return LLVMBuilder(Block(arg_types=types))


def returned(builder: LLVMBuilder, *values: object) -> object:
    """A function that computes the values."""
    block = builder.block
    block.add_op(ReturnOp(*values))  # type: ignore[arg-type]
    types = [value.type for value in values]  # type: ignore[attr-defined]
    return compiled(FuncOp("f", (list(block.arg_types), types), Region(block)))


def test_arithmetic_is_that_of_its_names() -> None:
    b = build(i32, i32)
    x, y = b.block.args
    names = ("add", "sub", "mul", "bit_and", "bit_or", "bit_xor", "shift_right", "shift_right_signed")
    call = returned(b, *(getattr(b, name)(x, y) for name in names))
    assert call(-20, 2) == [-18, -22, -40, 0, -18, -18, 0x3FFFFFFB, -5]  # type: ignore[operator]


@pytest.mark.parametrize(("predicate", "expected"), [("slt", 1), ("ult", 0), ("ne", 1), ("sge", 0), ("ugt", 1)])
def test_comparisons_and_choices(predicate: str, expected: int) -> None:
    b = build(i32, i32)
    mask = b.compare(predicate, *b.block.args)
    call = returned(b, mask, b.select(mask, *b.block.args))
    assert call(-1, 1) == [expected, -1 if expected else 1]  # type: ignore[operator]


def test_a_comparison_of_vectors_is_a_vector_of_bits() -> None:
    assert LLVMBuilder.compare_mask(VectorType(f32, [4, 2])) == VectorType(i1, [4, 2])
    assert LLVMBuilder.compare_mask(f32) == i1


def test_no_signed_wrap_is_said_only_where_asked() -> None:
    b = build(i32, i32)
    flags = [b.add(*b.block.args, nsw=nsw).owner.properties.get("overflowFlags") for nsw in (True, False)]
    assert flags[0] == arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
    assert flags[1] == arith.IntegerOverflowAttr([])


@pytest.mark.parametrize(
    ("source", "target", "operation"),
    [
        (i32, i64, arith.ExtSIOp),
        (i64, i8, arith.TruncIOp),
        (i32, IndexType(), arith.IndexCastOp),
        (IndexType(), i64, arith.IndexCastOp),
    ],
)
def test_integers_are_cast_by_their_widths(source: Attribute, target: Attribute, operation: type) -> None:
    b = build(source)
    cast = b.integer_cast(b.block.args[0], target)
    assert isinstance(cast.owner, operation)
    assert cast.type == target
    assert b.integer_cast(cast, target) is cast
    assert b.bitcast(cast, target) is cast
    assert b.cast_index(cast, target) is cast


def test_an_address_takes_numbers_and_values_as_indices() -> None:
    b = build(pointer_type(1), i32)
    pointer, index = b.block.args
    op = b.gep(pointer, (3, index), f32, inbounds=True).owner
    assert isinstance(op, llvm.GEPOp)
    assert list(op.rawConstantIndices.get_values()) == [3, DYNAMIC_INDEX]
    assert list(op.operands) == [pointer, index]
    assert op.results[0].type == pointer_type(1)
    assert op.properties["noWrapFlags"] == IntegerAttr(3, i32)


def test_alignment_is_said_when_it_is_not_the_types_own() -> None:
    b = build(pointer_type())
    loads = [b.load(b.block.args[0], f32, alignment).owner for alignment in (0, 16)]
    assert "alignment" not in loads[0].properties
    assert loads[1].properties["alignment"] == IntegerAttr(16, i64)


def test_fields_of_structs() -> None:
    struct = parse_type("!llvm.struct<(i32, struct<(i64)>)>")
    b = build(struct, i64)
    changed = b.insert_value(b.block.args[0], b.block.args[1], (1, 0))
    field = b.extract_value(changed, (1, 0), i64)
    assert changed.type == struct
    assert field.type == i64
    assert list(field.owner.position.get_values()) == [1, 0]  # type: ignore[union-attr]


def test_a_branch_builds_both_sides() -> None:
    b = build(i1, i32)
    condition, x = b.block.args
    op, then, otherwise = b.if_(condition, [i32])
    then.yield_(then.add(x, then.constant(10)))
    otherwise.yield_(x)
    call = returned(b, op.results[0])
    assert (call(1, 5), call(0, 5)) == ([15], [5])  # type: ignore[operator]


def test_a_constant_fills_every_lane() -> None:
    b = build()
    value = splat(b, VectorType(i32, [3]), IntegerAttr(7, i32))
    assert returned(b, value)() == [[7, 7, 7]]  # type: ignore[operator]


def test_operations_stand_before_their_anchor_with_its_location() -> None:
    block = Block(arg_types=[i32, i32])
    first = Builder(block)
    first.location = Location("kernel.py", 7, 3)
    anchor = first.create(arith.AddiOp, block.args, [i32])
    b = LLVMBuilder.before_op(anchor)
    value = b.mul(*block.args)
    assert list(block.ops) == [value.owner, anchor]
    assert get_location(value.owner) == get_location(anchor)  # type: ignore[arg-type]
    _, then, _ = b.if_(b.compare("eq", *block.args))
    assert get_location(then.constant(1).owner) == get_location(anchor)  # type: ignore[arg-type]


def test_names_of_types() -> None:
    assert str(pointer_type()) == "!llvm.ptr"
    assert str(pointer_type(3)) == "!llvm.ptr<3>"
    assert str(array_type(4, i8)) == "!llvm.array<4 x i8>"
