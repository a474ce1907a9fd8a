"""The pass `fly-int-swizzle-simplify`: swizzle(base + periodic) becomes swizzle(base) + periodic.

A swizzle `x ^ ((x & MASK) >> SH)`, MASK being M ones from bit K up, only looks at and changes bits below M + K. An
addend that is a multiple of 2^(M+K) passes through it, so the XOR stays with what is loop invariant and constants
become immediate offsets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.ir.fly.types import IntTupleType
from flydsl.layout import leaves
from flydsl.passes.rewriting import create, functions, insert_before, operands_of, replace, walk

_ALL_ZERO = 64
"""Trailing zeros of 0."""
_MAX_DEPTH = 24
_MAY_WRAP = arith.IntegerOverflowAttr("none")


@dataclass(frozen=True)
class FlyIntSwizzleSimplify(ModulePass):
    """Pull periodic addends out of integer swizzles."""

    name: ClassVar[str] = "fly-int-swizzle-simplify"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            if function.name == "gpu.func":
                zeros = _TrailingZeros()
                for xor in [inner for inner in walk(function) if isinstance(inner, arith.XOrIOp)]:
                    _simplify(xor, zeros)


@dataclass(slots=True)
class _Swizzle:
    """What an xori was found to be: the swizzle of `value` by `mask` and `shift`."""

    value: SSAValue
    mask: SSAValue
    shift: SSAValue
    period: int  # its exponent


def _match(xor: arith.XOrIOp) -> _Swizzle | None:
    first, second = operands_of(xor)
    for value, shifted in ((first, second), (second, first)):
        shr = shifted.owner
        masked = operands_of(shr)[0].owner if isinstance(shr, arith.ShRUIOp) else None
        if not isinstance(shr, arith.ShRUIOp) or not isinstance(masked, arith.AndIOp):
            continue
        source, mask = operands_of(masked)
        if source is not value:
            source, mask = mask, source
        bits, shift = _constant(mask), _constant(operands_of(shr)[1])
        if source is not value or bits is None or shift is None or bits <= 0:
            continue
        low = _zeros_of(bits)
        run = bits >> low
        if run & (run + 1) == 0 and 0 <= shift <= low:
            return _Swizzle(value, mask, operands_of(shr)[1], low + run.bit_length())
    return None


def _simplify(xor: arith.XOrIOp, zeros: _TrailingZeros) -> None:
    found = _match(xor)
    if found is None:
        return
    addends = [part for addend in _addends(found.value) for part in _split_constant(addend, found.period, xor)]
    periodic = [addend for addend in addends if zeros(addend) >= found.period]
    rest = [addend for addend in addends if zeros(addend) < found.period]
    if not periodic:
        return
    if rest:
        base = reduce(lambda a, b: _create(arith.AddiOp, a, b, xor), rest)
        masked = _create(arith.AndIOp, base, found.mask, xor)
        shifted = _create(arith.ShRUIOp, masked, found.shift, xor)
        start = _create(arith.XOrIOp, base, shifted, xor)
    else:
        start = _constant_of(0, found.value.type, xor)
    replace(xor, [reduce(lambda a, b: _create(arith.AddiOp, a, b, xor), periodic, start)])


def _addends(value: SSAValue) -> list[SSAValue]:
    """What is summed up in `value`; constants come last, so that they end as immediate offsets."""
    found: list[SSAValue] = []
    pending = [value]
    while pending:
        current = pending.pop()
        if isinstance(current.owner, arith.AddiOp):
            current.owner.properties["overflowFlags"] = _MAY_WRAP  # so that a part of the sum equals the same sum
            pending += reversed(operands_of(current.owner))
        else:
            found.append(current)
    return sorted(found, key=lambda addend: _constant(addend) is not None)


def _split_constant(addend: SSAValue, period: int, at: Operation) -> list[SSAValue]:
    """A constant as what is below the period and the multiple of it; other values as they are."""
    value = _constant(addend)
    low = value % (1 << period) if value is not None else 0
    if value is None or low in (0, value):
        return [addend]
    return [_constant_of(part, addend.type, at) for part in (low, value - low)]


def _constant_of(value: int, type_: Attribute, at: Operation) -> SSAValue:
    attribute = IntegerAttr(value, type_)  # type: ignore[call-overload]
    op = create(arith.ConstantOp, (), (type_,), properties={"value": attribute}, location=at.location)
    insert_before(op, at)
    return op.results[0]


def _create(op_class: type[Operation], a: SSAValue, b: SSAValue, at: Operation) -> SSAValue:
    op = create(op_class, (a, b), (a.type,), location=at.location)
    insert_before(op, at)
    return op.results[0]


def _constant(value: SSAValue) -> int | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return owner.value.value.data
    return None


def _zeros_of(value: int) -> int:
    return _ALL_ZERO if value == 0 else (value & -value).bit_length() - 1


@dataclass(slots=True)
class _TrailingZeros:
    """How many low bits of a value are known to be zero: from what computes it and from promises in types of users."""

    known: dict[SSAValue, int] = field(default_factory=dict)

    def __call__(self, value: SSAValue, depth: int = 0) -> int:
        found = self.known.get(value)
        if found is None:
            found = max(self._promised(value), self._computed(value, depth) if depth < _MAX_DEPTH else 0)
            self.known[value] = found
        return found

    def _promised(self, value: SSAValue) -> int:
        best = 0
        for use in value.uses:
            results = use.operation.results
            if use.operation.name in _MAKERS and isinstance(results[0].type, IntTupleType):
                best = max(best, _zeros_of(leaves(results[0].type.value)[use.index].div))
        return best

    def _computed(self, value: SSAValue, depth: int) -> int:
        op = value.owner
        if not isinstance(op, Operation) or not isinstance(op, _KNOWN):
            return 0
        if isinstance(op, arith.ConstantOp):
            constant = _constant(value)
            return 0 if constant is None else _zeros_of(constant)
        operands = operands_of(op)[1:] if isinstance(op, arith.SelectOp) else operands_of(op)
        zeros = [self(operand, depth + 1) for operand in operands]
        if isinstance(op, arith.MuliOp):
            return min(sum(zeros), _ALL_ZERO)
        if isinstance(op, arith.AndIOp):
            return max(zeros)
        if isinstance(op, arith.ShLIOp):
            return min(zeros[0] + max(0, _constant(operands[1]) or 0), _ALL_ZERO)
        return min(zeros)


_MAKERS = frozenset({"fly.make_int_tuple", "fly.make_shape", "fly.make_stride", "fly.make_coord"})
_KNOWN = (
    *(
        arith.ConstantOp,
        arith.AddiOp,
        arith.SubiOp,
        arith.MuliOp,
        arith.AndIOp,
        arith.OrIOp,
        arith.XOrIOp,
        arith.ShLIOp,
    ),
    *(arith.RemSIOp, arith.RemUIOp, arith.MinSIOp, arith.MaxSIOp, arith.SelectOp),
    *(arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp),
)
