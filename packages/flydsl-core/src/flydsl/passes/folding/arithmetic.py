"""Folding of `arith` operations on known integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.base.arithmetic import truncated_quotient, truncated_remainder, wrapped

Known = Callable[[SSAValue], "int | None"]
Folded = int | SSAValue | None
"""An integer for each fold to a constant, an operand for an identity, None when there is nothing to fold."""


def width_of(type_: Attribute) -> int:
    """Bits of an integer or index type, 0 for every other type."""
    if isinstance(type_, IntegerType):
        return int(type_.width.data)
    return 64 if isinstance(type_, IndexType) else 0


def fold(op: Operation, operands: tuple[SSAValue, ...], known: Known) -> Folded:
    """What the result of `op` equals, when that is a constant or one of the values it is made of."""
    handler = _HANDLERS.get(type(op))
    width = width_of(op.results[0].type) if handler else 0
    return handler(op, operands, known, width) if handler and width else None


def _binary(op: Operation, operands: tuple[SSAValue, ...], known: Known, width: int) -> Folded:
    a, b = known(operands[0]), known(operands[1])
    if a is not None and b is not None:
        result = _COMPUTE[type(op)](a, b, width)
        return None if result is None else wrapped(result, width)
    if width == 1:  # true is all ones, which the tables know as -1
        a, b = -a if a else a, -b if b else b
    if b is not None and (identity := _RIGHT.get((type(op), b))) is not None:
        return operands[0] if identity == "x" else wrapped(int(identity), width)
    if a is not None and (identity := _LEFT.get((type(op), a))) is not None:
        return operands[1] if identity == "x" else wrapped(int(identity), width)
    return _same(op, operands) if operands[0] is operands[1] else None


def _same(op: Operation, operands: tuple[SSAValue, ...]) -> Folded:
    if isinstance(op, arith.SubiOp | arith.XOrIOp):
        return 0
    if isinstance(op, arith.AndIOp | arith.OrIOp | arith.MinSIOp | arith.MaxSIOp):
        return operands[0]
    return None


def _compare(op: Operation, operands: tuple[SSAValue, ...], known: Known, width: int) -> Folded:
    assert isinstance(op, arith.CmpiOp)
    predicate = op.predicate.value.data
    if operands[0] is operands[1]:
        return int(predicate in _REFLEXIVE)
    a, b = known(operands[0]), known(operands[1])
    if a is None or b is None:
        return None
    source = width_of(operands[0].type)
    if predicate >= 6:
        a, b, predicate = a & ((1 << source) - 1), b & ((1 << source) - 1), predicate - 4
    elif source == 1:
        a, b = -a, -b
    return int((a == b, a != b, a < b, a <= b, a > b, a >= b)[predicate])


def _select(op: Operation, operands: tuple[SSAValue, ...], known: Known, width: int) -> Folded:
    condition = known(operands[0])
    if condition is None:
        return operands[1] if operands[1] is operands[2] else None
    chosen = operands[1] if condition else operands[2]
    number = known(chosen)
    return chosen if number is None else number


def _cast(op: Operation, operands: tuple[SSAValue, ...], known: Known, width: int) -> Folded:
    value = known(operands[0])
    if value is not None:
        source = width_of(operands[0].type)
        if isinstance(op, arith.ExtUIOp):
            value &= (1 << source) - 1
        elif source == 1:
            value = -value  # sign extension of true
        return wrapped(value, width)
    owner = operands[0].owner
    if isinstance(op, arith.IndexCastOp | arith.TruncIOp) and isinstance(owner, arith.IndexCastOp | arith.ExtSIOp):
        inner = owner.operands[0]
        return inner if inner.type == op.results[0].type and width <= width_of(operands[0].type) else None
    return None


def _unsigned(function: Callable[[int, int], int]) -> Callable[[int, int, int], int | None]:
    def compute(a: int, b: int, width: int) -> int | None:
        bits = (1 << width) - 1
        return function(a & bits, b & bits) if b else None

    return compute


_COMPUTE: Mapping[type[Operation], Callable[[int, int, int], int | None]] = {
    arith.AddiOp: lambda a, b, w: a + b,
    arith.SubiOp: lambda a, b, w: a - b,
    arith.MuliOp: lambda a, b, w: a * b,
    arith.DivSIOp: lambda a, b, w: truncated_quotient(a, b) if b else None,
    arith.RemSIOp: lambda a, b, w: truncated_remainder(a, b) if b else None,
    arith.FloorDivSIOp: lambda a, b, w: a // b if b else None,
    arith.CeilDivSIOp: lambda a, b, w: -(-a // b) if b else None,
    arith.DivUIOp: _unsigned(lambda a, b: a // b),
    arith.RemUIOp: _unsigned(lambda a, b: a % b),
    arith.MinSIOp: lambda a, b, w: min(a, b),
    arith.MaxSIOp: lambda a, b, w: max(a, b),
    arith.AndIOp: lambda a, b, w: a & b,
    arith.OrIOp: lambda a, b, w: a | b,
    arith.XOrIOp: lambda a, b, w: a ^ b,
    arith.ShLIOp: lambda a, b, w: a << b if 0 <= b < w else None,
    arith.ShRUIOp: lambda a, b, w: (a & ((1 << w) - 1)) >> b if 0 <= b < w else None,
    arith.ShRSIOp: lambda a, b, w: a >> b if 0 <= b < w else None,
}
_SHIFTS = (arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
_RIGHT: Mapping[tuple[type[Operation], int], str] = {
    **{(op, 0): "x" for op in (arith.AddiOp, arith.SubiOp, arith.OrIOp, arith.XOrIOp, *_SHIFTS)},
    **{(op, 1): "x" for op in (arith.MuliOp, arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp, arith.CeilDivSIOp)},
    **{(op, 0): "0" for op in (arith.MuliOp, arith.AndIOp)},
    **{(op, 1): "0" for op in (arith.RemSIOp, arith.RemUIOp)},
    (arith.AndIOp, -1): "x",
    (arith.OrIOp, -1): "-1",
}
"""(operation, right operand) -> "x" for the left operand, or the number that the result is."""
_LEFT: Mapping[tuple[type[Operation], int], str] = {
    **{(op, 0): "x" for op in (arith.AddiOp, arith.OrIOp, arith.XOrIOp)},
    **{(op, 0): "0" for op in (arith.MuliOp, arith.AndIOp, *_SHIFTS)},
    (arith.MuliOp, 1): "x",
    (arith.AndIOp, -1): "x",
    (arith.OrIOp, -1): "-1",
}
_REFLEXIVE = (0, 3, 5, 7, 9)
"""Predicates that hold of a number and itself: eq, sle, sge, ule, uge."""
_HANDLERS: Mapping[type[Operation], Callable[[Operation, tuple[SSAValue, ...], Known, int], Folded]] = {
    **dict.fromkeys(_COMPUTE, _binary),
    arith.CmpiOp: _compare,
    arith.SelectOp: _select,
    **dict.fromkeys((arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp), _cast),
}

FOLDED = frozenset(_HANDLERS)
"""The classes of operations that `fold` knows."""
