"""Nodes are emitted once, where they were made, and only when something needs them."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation

from flydsl.layout import Basis, Dyn, Swizzle, leaf
from flydsl.passes.layout_lowering.values import LazyArithBuilder, Node, plain


@pytest.fixture
def block() -> Block:
    made = Block(arg_types=[i32, i64])
    made.add_op(ReturnOp())
    return made


def names(block: Block) -> list[str]:
    return [op.name for op in block.ops]


def test_nothing_is_emitted_before_it_is_needed(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    total = leaf.add(leaf.mul(emitter.wrap(block.args[0]), 3), 5)
    assert names(block) == ["func.return"]
    emitter.value(total)
    assert names(block) == ["arith.constant", "arith.muli", "arith.constant", "arith.addi", "func.return"]


def test_equal_nodes_are_one(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    x, y = (emitter.wrap(block.args[0]) for _ in range(2))
    assert x is y
    assert leaf.mul(x, 3) is leaf.mul(3, y)


def test_constants_gather(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    x = emitter.wrap(block.args[0])
    assert leaf.add(leaf.add(x, 4), 5) is leaf.add(x, 9)
    assert leaf.add(leaf.add(x, 4), -4) is x
    assert leaf.mul(leaf.mul(x, 4), 5) is leaf.mul(x, 20)


def test_constants_that_would_overflow_stay_apart(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    large = leaf.mul(leaf.mul(emitter.wrap(block.args[0]), 1 << 20), 1 << 20)
    assert isinstance(large, Node)
    assert large.b == 1 << 20


def test_what_a_region_made_is_not_found_outside(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    x = emitter.wrap(block.args[0])
    outer = leaf.mul(x, 2)
    with emitter.scope():
        inner = leaf.mul(x, 3)
        assert leaf.mul(x, 2) is outer
        assert leaf.mul(x, 3) is inner
    assert leaf.mul(x, 3) is not inner


def test_narrow_operands_are_widened_where_they_were_made(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    x, y = (emitter.wrap(arg) for arg in block.args)
    first = block.first_op
    assert first is not None
    later = ReturnOp()
    block.insert_op_after(later, first)
    emitter.anchor = later
    late = leaf.mul(x, y)
    emitter.anchor = first
    early = leaf.add(x, y)
    for node in (late, early):
        emitter.value(node)
    assert names(block) == ["arith.extsi", "arith.addi", "func.return", "arith.muli", "func.return"]


def test_long_chains_do_not_recurse_deeply(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    total = emitter.wrap(block.args[0])
    for step in range(5000):
        total = leaf.add(leaf.mul(total, 3), step + 1)  # type: ignore[assignment]
    emitter.value(total)
    assert names(block).count("arith.muli") == 5000


def test_swizzles_have_the_form_that_is_simplified(block: Block) -> None:
    emitter = LazyArithBuilder(block)
    emitter.value(Swizzle(2, 3, 4)(emitter.wrap(block.args[0])))
    made = [op for op in block.ops if op.name != "arith.constant"]
    assert [op.name for op in made] == ["arith.andi", "arith.shrui", "arith.xori", "func.return"]
    mask = made[0].operands[1].owner
    assert isinstance(mask, Operation)
    assert mask.properties["value"].value.data == 0b11 << 7  # type: ignore[attr-defined]


def test_types_hold_plain_leaves(block: Block) -> None:
    node = LazyArithBuilder(block).wrap(block.args[1], 8)
    assert plain(node) is Dyn(64, 8)
    assert plain(Basis(node, (1,))) == Basis(Dyn(64, 8), (1,))
    assert plain(7) == 7
