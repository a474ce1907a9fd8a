"""f32, f64 and i32 values with Python's operators: `x * 2.0 + y` appends the operations to a block, for scalars and
vectors alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, TypeVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, VectorType, f32, f64, i32, i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder, splat

_PREDICATES = {"==": 1, ">": 2, ">=": 3, "<": 4, "<=": 5, "!=": 13, "unordered": 14}
# Only this rewriting is safe for expansions that depend on the order of their roundings.
_CONTRACT = arith.FastMathFlagsAttr([FastMathFlag.ALLOW_CONTRACT])


class _Lanes:
    """A value and the builder that continues it."""

    __slots__ = ("build", "value")

    def __init__(self, build: LLVMBuilder, value: SSAValue) -> None:
        self.build, self.value = build, value

    def _like(self, element: Attribute) -> Attribute:
        type_ = self.value.type
        return VectorType(element, type_.shape) if isinstance(type_, VectorType) else element


class I32(_Lanes):
    """An i32 scalar or vector."""

    def _other(self, other: I32 | int) -> SSAValue:
        if isinstance(other, I32):
            return other.value
        return splat(self.build, self.value.type, IntegerAttr(other, i32))

    def __add__(self, other: I32 | int) -> I32:
        return I32(self.build, self.build.add(self.value, self._other(other)))

    def __sub__(self, other: I32 | int) -> I32:
        return I32(self.build, self.build.sub(self.value, self._other(other)))

    def __and__(self, other: I32 | int) -> I32:
        return I32(self.build, self.build.bit_and(self.value, self._other(other)))

    def __or__(self, other: I32 | int) -> I32:
        return I32(self.build, self.build.bit_or(self.value, self._other(other)))

    def __xor__(self, other: I32 | int) -> I32:
        return I32(self.build, self.build.bit_xor(self.value, self._other(other)))

    def __lshift__(self, count: int) -> I32:
        return I32(self.build, self.build.value(arith.ShLIOp, (self.value, self._other(count)), self.value.type))

    def __rshift__(self, count: int) -> I32:
        return I32(self.build, self.build.shift_right_signed(self.value, self._other(count)))

    def as_f32(self) -> F32:
        """The float of the same bits."""
        return F32(self.build, self.build.bitcast(self.value, self._like(f32)))

    def to_f32(self) -> F32:
        """The float of the same value."""
        return F32(self.build, self.build.value(arith.SIToFPOp, (self.value,), self._like(f32)))

    def to_f64(self) -> F64:
        """The float of the same value."""
        return F64(self.build, self.build.value(arith.SIToFPOp, (self.value,), self._like(f64)))

    def power_of_two(self) -> F64:
        """2 to this power, which must be between -1022 and 1023."""
        bits = self.build.value(arith.ExtSIOp, ((self + 1023).value,), self._like(i64))
        shifted = self.build.value(arith.ShLIOp, (bits, splat(self.build, bits.type, IntegerAttr(52, i64))), bits.type)
        return F64(self.build, self.build.bitcast(shifted, self._like(f64)))

    def compare(self, predicate: str, other: I32 | int) -> SSAValue:
        """A lane mask; `predicate` is one of LLVMBuilder.compare's."""
        return self.build.compare(predicate, self.value, self._other(other))


class _Float(_Lanes):
    """A float scalar or vector."""

    __slots__ = ()
    element: ClassVar[AnyFloat]

    def constant(self, value: float) -> Self:
        """`value` in every lane."""
        return type(self)(self.build, splat(self.build, self.value.type, FloatAttr(value, self.element)))

    def _other(self, other: Self | float) -> SSAValue:
        return other.value if isinstance(other, _Float) else self.constant(other).value

    def _same(self, cls: type[Operation], *operands: Self | float) -> Self:
        values = [self._other(operand) for operand in (self, *operands)]
        return type(self)(self.build, self.build.value(cls, values, self.value.type))

    def _binary(self, cls: type[Operation], other: Self | float) -> Self:
        properties: dict[str, Attribute] = {"fastmath": _CONTRACT}
        operands = (self.value, self._other(other))
        return type(self)(self.build, self.build.value(cls, operands, self.value.type, properties))

    def __add__(self, other: Self | float) -> Self:
        return self._binary(arith.AddfOp, other)

    def __sub__(self, other: Self | float) -> Self:
        return self._binary(arith.SubfOp, other)

    def __mul__(self, other: Self | float) -> Self:
        return self._binary(arith.MulfOp, other)

    def __truediv__(self, other: Self | float) -> Self:
        return self._binary(arith.DivfOp, other)

    def __neg__(self) -> Self:
        return self._same(arith.NegfOp)

    def __rsub__(self, other: float) -> Self:
        return self.constant(other) - self

    def compare(self, predicate: str, other: Self | float) -> SSAValue:
        """A lane mask; `predicate` is one of == != < <= > >= unordered."""
        mask = self.build.compare_mask(self.value.type)
        properties = {"predicate": IntegerAttr(_PREDICATES[predicate], i64)}
        return self.build.value(arith.CmpfOp, (self.value, self._other(other)), mask, properties)

    def polynomial(self, coefficients: Sequence[float]) -> Self:
        """By Horner's rule, highest power first."""
        result = self.constant(coefficients[0])
        for coefficient in coefficients[1:]:
            result = result * self + coefficient
        return result

    def clamped(self, low: float, high: float) -> Self:
        """Between `low` and `high`; NaN becomes `high`."""
        upper = select(self.compare("<", high), self, high)
        return select(upper.compare(">", low), upper, low)

    def limited(self, low: float, high: float) -> Self:
        """Between `low` and `high`; NaN stays NaN."""
        upper = select(self.compare(">", high), self.constant(high), self)
        return select(upper.compare("<", low), upper.constant(low), upper)

    def fused(self, factor: Self | float, addend: Self | float) -> Self:
        """self * factor + addend, rounded once."""
        return self._same(math.FmaOp, factor, addend)

    def rounded(self) -> Self:
        """The nearest integer."""
        return self._same(math.RoundEvenOp)

    def truncated(self) -> Self:
        """The integer towards 0."""
        return self._same(math.TruncOp)

    def root(self) -> Self:
        """The square root."""
        return self._same(math.SqrtOp)

    def magnitude(self) -> Self:
        """|x|."""
        return self._same(math.AbsFOp)

    def with_sign_of(self, other: Self) -> Self:
        """|x| with another sign."""
        return self._same(math.CopySignOp, other)

    def to_i32(self) -> I32:
        """The integer of the same value, which must be one."""
        return I32(self.build, self.build.value(arith.FPToSIOp, (self.value,), self._like(i32)))


class F32(_Float):
    """An f32 scalar or vector."""

    __slots__ = ()
    element = f32

    def as_i32(self) -> I32:
        """The integer of the same bits."""
        return I32(self.build, self.build.bitcast(self.value, self._like(i32)))

    def wide(self) -> F64:
        """The same value."""
        return F64(self.build, self.build.value(arith.ExtFOp, (self.value,), self._like(f64)))


class F64(_Float):
    """An f64 scalar or vector."""

    __slots__ = ()
    element = f64

    def logarithm(self) -> F64:
        """The natural logarithm, by the target's library."""
        return self._same(math.LogOp)

    def exponential(self) -> F64:
        """e ** x, by the target's library."""
        return self._same(math.ExpOp)

    def narrow(self) -> F32:
        """The nearest f32."""
        return F32(self.build, self.build.value(arith.TruncFOp, (self.value,), self._like(f32)))


_T = TypeVar("_T", bound=_Float)


def select(condition: SSAValue, a: _T, b: _T | float) -> _T:
    """a where the mask is set, else b."""
    return type(a)(a.build, a.build.select(condition, a.value, a._other(b)))


def both(a: _Float, *masks: SSAValue) -> SSAValue:
    """The lanes where all masks are set; `a` is any value of the same lanes."""
    result = masks[0]
    for mask in masks[1:]:
        result = a.build.bit_and(result, mask)
    return result
