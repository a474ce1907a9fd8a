"""Scoping of traced values: an error at the first one used outside of the region that defines it."""

from __future__ import annotations

from xdsl.ir import Block, Operation, OpResult

from flydsl.base.errors import FrontendError
from flydsl.base.location import Location
from flydsl.ir.location import get_location


def check_visible(body: Block) -> None:
    """Raise FrontendError when Python carried a value out of its region, as in `items.append(x)` under a condition."""
    _check(body, set())


def _check(block: Block, visible: set[Block]) -> None:
    visible.add(block)
    op = block.first_op
    while op is not None:
        for operand in op._operands:  # xDSL's `operands` is a view, and slower than the visit
            if (operand.op.parent if type(operand) is OpResult else operand.owner) not in visible:
                raise _invisible(op, operand.owner)
        for region in op.regions:
            for inner in region.blocks:
                _check(inner, visible)
        op = op.next_op
    visible.discard(block)


def _invisible(op: Operation, owner: Operation | Block) -> FrontendError:
    location = get_location(owner) if isinstance(owner, Operation) else _parent_location(owner)
    where = f" at line {location.line}" if location is not None else ""
    return FrontendError(
        f"a value computed{where}, inside a dynamic branch, loop or other function, is used outside it; "
        "assign it to a variable there, or pass it as an argument",
        location=get_location(op),
    )


def _parent_location(block: Block) -> Location | None:
    parent = block.parent_op()
    return get_location(parent) if parent is not None else None
