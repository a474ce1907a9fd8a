"""f32 values with Python's operators: `x * 2.0 + y` appends the operations to a block, for scalars and vectors alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, VectorType, f32, i32, i64
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder, splat

__all__ = ["F32", "I32", "select"]

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


class F32(_Lanes):
    """An f32 scalar or vector."""

    def constant(self, value: float) -> F32:
        """`value` in every lane."""
        return F32(self.build, splat(self.build, self.value.type, FloatAttr(value, f32)))

    def _other(self, other: F32 | float) -> SSAValue:
        return other.value if isinstance(other, F32) else self.constant(other).value

    def _binary(self, cls: type[Operation], other: F32 | float) -> F32:
        properties: dict[str, Attribute] = {"fastmath": _CONTRACT}
        return F32(self.build, self.build.value(cls, (self.value, self._other(other)), self.value.type, properties))

    def __add__(self, other: F32 | float) -> F32:
        return self._binary(arith.AddfOp, other)

    def __sub__(self, other: F32 | float) -> F32:
        return self._binary(arith.SubfOp, other)

    def __mul__(self, other: F32 | float) -> F32:
        return self._binary(arith.MulfOp, other)

    def __truediv__(self, other: F32 | float) -> F32:
        return self._binary(arith.DivfOp, other)

    def __neg__(self) -> F32:
        return F32(self.build, self.build.value(arith.NegfOp, (self.value,), self.value.type))

    def __rsub__(self, other: float) -> F32:
        return self.constant(other) - self

    def compare(self, predicate: str, other: F32 | float) -> SSAValue:
        """A lane mask; `predicate` is one of == != < <= > >= unordered."""
        mask = self.build.compare_mask(self.value.type)
        properties = {"predicate": IntegerAttr(_PREDICATES[predicate], i64)}
        return self.build.value(arith.CmpfOp, (self.value, self._other(other)), mask, properties)

    def polynomial(self, coefficients: Sequence[float]) -> F32:
        """By Horner's rule, highest power first."""
        result = self.constant(coefficients[0])
        for coefficient in coefficients[1:]:
            result = result * self + coefficient
        return result

    def clamped(self, low: float, high: float) -> F32:
        """Between `low` and `high`; NaN becomes `high`."""
        upper = select(self.compare("<", high), self, high)
        return select(upper.compare(">", low), upper, low)

    def fused(self, factor: float, addend: F32) -> F32:
        """self * factor + addend, rounded once."""
        operands = (self.value, self.constant(factor).value, addend.value)
        return F32(self.build, self.build.value(math.FmaOp, operands, self.value.type))

    def rounded(self) -> F32:
        """The nearest integer."""
        return F32(self.build, self.build.value(math.RoundEvenOp, (self.value,), self.value.type))

    def to_i32(self) -> I32:
        """The integer of the same value, which must be one."""
        return I32(self.build, self.build.value(arith.FPToSIOp, (self.value,), self._like(i32)))

    def as_i32(self) -> I32:
        """The integer of the same bits."""
        return I32(self.build, self.build.bitcast(self.value, self._like(i32)))

    def magnitude(self) -> F32:
        """|x|."""
        return F32(self.build, self.build.value(math.AbsFOp, (self.value,), self.value.type))

    def with_sign_of(self, other: F32) -> F32:
        """|x| with another sign."""
        return F32(self.build, self.build.value(math.CopySignOp, (self.value, other.value), self.value.type))


def select(condition: SSAValue, a: F32, b: F32 | float) -> F32:
    """a where the mask is set, else b."""
    return F32(a.build, a.build.select(condition, a.value, a._other(b)))
