"""Fast construction: operations land where the insertion point is and carry the current location."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i32
from xdsl.ir import Block, Operation, Region

from flydsl.base.errors import LayoutError
from flydsl.base.location import Location
from flydsl.ir.build import Builder
from flydsl.ir.fly import IntTupleType, LayoutType, MakeLayoutOp, SizeOp, StaticOp
from flydsl.ir.location import get_location
from flydsl.layout import Layout


def constant(builder: Builder, value: int) -> Operation:
    return builder.create(arith.ConstantOp, (), [i32], properties={"value": IntegerAttr(value, i32)})


def values(block: Block) -> list[int]:
    return [op.properties["value"].value.data for op in block.ops]


def test_operations_are_appended_in_order() -> None:
    builder = Builder(block := Block())
    for value in range(4):
        constant(builder, value)
    assert values(block) == [0, 1, 2, 3]


def test_operations_go_before_the_anchor() -> None:
    builder = Builder(block := Block())
    last = constant(builder, 9)
    early = Builder(block, before=last)
    constant(early, 1)
    constant(early, 2)
    assert values(block) == [1, 2, 9]
    assert (early.block, early.before) == (block, last)


def test_push_and_pop_return_to_the_place_before() -> None:
    builder = Builder(outer := Block())
    first = constant(builder, 1)
    inner = Block()
    builder.push(inner)
    constant(builder, 2)
    builder.push(outer, before=first)
    constant(builder, 0)
    builder.pop()
    constant(builder, 3)
    builder.pop()
    constant(builder, 4)
    assert (values(outer), values(inner)) == ([0, 1, 4], [2, 3])


def test_place_is_restored_when_a_with_block_raises() -> None:
    builder = Builder(outer := Block())
    with pytest.raises(ZeroDivisionError), builder.at(Block()):
        raise ZeroDivisionError
    constant(builder, 1)
    assert values(outer) == [1]


def test_insert_takes_an_operation_that_exists() -> None:
    builder = Builder(block := Block())
    op = builder.insert(arith.ConstantOp(IntegerAttr(5, i32)))
    assert op.parent is block
    assert constant(Builder(block, before=op), 4).next_op is op
    assert Builder(block, before=op).insert(arith.ConstantOp(IntegerAttr(3, i32))).next_op is op


def test_location_is_carried_by_new_operations() -> None:
    builder = Builder(Block())
    assert builder.location is None
    assert get_location(constant(builder, 0)) is None
    builder.location = Location("k.py", 3, 8)
    assert get_location(constant(builder, 1)) == Location("k.py", 3, 8) == builder.location
    builder.location = None
    assert get_location(constant(builder, 2)) is None


def test_regions_are_attached() -> None:
    builder = Builder(Block())
    body = Region(Block())
    op = builder.create(scf.ExecuteRegionOp, (), [], regions=[body])
    assert op.regions == (body,)
    assert body.parent is op


def test_inferred_operation_has_the_type_of_the_algebra() -> None:
    builder = Builder(Block())
    shape, stride = (builder.create(StaticOp, (), [IntTupleType(value)]).result for value in ((4, 8), (8, 1)))
    layout = builder.infer(MakeLayoutOp, [shape, stride]).result
    assert layout.type == LayoutType(Layout((4, 8), (8, 1)))
    assert builder.infer(SizeOp, [layout]).result.type == IntTupleType(32)


def test_inadmissible_operation_creates_nothing() -> None:
    builder = Builder(block := Block())
    shape, stride = (builder.create(StaticOp, (), [IntTupleType(value)]).result for value in ((4, 8), (8, 1, 2)))
    with pytest.raises(LayoutError):
        builder.infer(MakeLayoutOp, [shape, stride])
    assert len(list(block.ops)) == 2
