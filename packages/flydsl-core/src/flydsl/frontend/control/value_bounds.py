"""Bounds of traced integers by interval arithmetic, as far as the operations that made them tell.

Extents and sizes of a function's tensors that are 32-bit leaves are below 2^30 (see `flydsl.layout.width`), and ids of
threads and blocks are not negative.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from flydsl.expr.numeric import Numeric
from flydsl.expr.tracing.context import current
from flydsl.layout import Dyn

if TYPE_CHECKING:
    from xdsl.ir import Operation, SSAValue

Interval = tuple[int, int]
"""The least and the greatest value, both included."""

_DEPTH = 16
_MOST_OF_A_LEAF = (1 << 30) - 1
_MOST_OF_AN_ID = (1 << 31) - 1
_NO_LARGER = ("get", "get_shape", "size", "ceil_div", "slice", "dice", "select", "take", "group")
_PARTS = frozenset(f"fly.{name}" for name in _NO_LARGER)


def bounds_of(value: Numeric) -> Interval:
    """What a signed integer lies within."""
    if value.is_static:
        return int(value.value), int(value.value)
    return _bounds(value.value, _DEPTH)


def _bounds(value: SSAValue, depth: int) -> Interval:
    most = (1 << (getattr(getattr(value.type, "width", None), "data", 64) - 1)) - 1
    op: Any = value.owner
    handler = _HANDLERS.get(getattr(op, "name", "")) if depth else None
    found = handler(op, depth - 1) if handler is not None else None
    return found if found is not None and -most - 1 <= found[0] and found[1] <= most else (-most - 1, most)


def _constant(op: Operation, depth: int) -> Interval:
    number: Any = op.properties["value"]
    return number.value.data, number.value.data


def _id(op: Operation, depth: int) -> Interval:
    return 0, _MOST_OF_AN_ID


def _cast(op: Operation, depth: int) -> Interval:
    return _bounds(op.operands[0], depth)


def _leaf(op: Operation, depth: int) -> Interval | None:
    """An extent or the size of a part of an argument, perhaps divided; 64-bit leaves have other limits."""
    source: Any = op.operands[0]
    while getattr(source.owner, "name", "") in _PARTS:
        source = source.owner.operands[0]
    if getattr(source.owner, "name", "") == "fly.make_int_tuple" and isinstance(source.type.value, Dyn):
        low, high = _bounds(source.owner.operands[0], depth)
        return min(low, -high), max(-low, high)
    is_argument = source.owner is current().entry and source.type.name == "fly.memref"
    return (-_MOST_OF_A_LEAF, _MOST_OF_A_LEAF) if is_argument and op.results[0].type.width.data == 32 else None  # type: ignore[attr-defined]


def _corners(compute: Callable[[int, int], int]) -> Handler:
    """Of an operation that is monotonic in each operand."""

    def handler(op: Operation, depth: int) -> Interval:
        a, b = (_bounds(operand, depth) for operand in op.operands)
        values = [compute(x, y) for x in a for y in b]
        return min(values), max(values)

    return handler


def _quotient(op: Operation, depth: int) -> Interval | None:
    (low, high), (least, _) = (_bounds(operand, depth) for operand in op.operands)
    return (min(low, 0), max(high, 0)) if least > 0 else None


Handler = Callable[["Operation", int], Interval | None]
_HANDLERS: Mapping[str, Handler] = {
    "arith.constant": _constant,
    **{f"arith.{name}": _cast for name in ("index_cast", "extsi", "trunci")},
    **{f"gpu.{name}": _id for name in ("thread_id", "block_id", "block_dim", "grid_dim", "lane_id")},
    "fly.get_scalar": _leaf,
    "arith.addi": _corners(lambda a, b: a + b),
    "arith.subi": _corners(lambda a, b: a - b),
    "arith.muli": _corners(lambda a, b: a * b),
    "arith.minsi": _corners(min),
    "arith.maxsi": _corners(max),
    **{f"arith.{name}": _quotient for name in ("floordivsi", "divsi", "ceildivsi")},
}
