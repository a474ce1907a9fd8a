"""Single operations of scalars and vectors as methods, by the names that MLIR gives them: `x.extsi(fx.Int64)`.

Types are those of the language or of MLIR, of an element or of a vector. The operators and functions of `fx` are the
ones to write: these are what other kernels call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.float_functions import unary
from flydsl.expr.numbers.operands import Operand
from flydsl.expr.numbers.operators import binary, float_extreme, shrui
from flydsl.expr.numbers.registry import as_dtype, named
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute

    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import IntLike, VectorLike
    from flydsl.expr.values.traced_types import ScalarOrVector


class NamedMethods(Operand):
    """Base of scalars and vectors: operations with MLIR's names."""

    __slots__ = ()

    @property
    def is_float(self) -> bool:
        """Whether the elements are floats."""
        return bool(self.dtype.is_float)

    def addf(self, other: VectorLike, *, fastmath: Flags = None) -> ScalarOrVector:
        """The sum of two floats."""
        with overriding(fastmath):
            return binary("add", self, other)

    def maximumf(self, other: VectorLike) -> ScalarOrVector:
        """The larger of two floats; NaN propagates."""
        return float_extreme("maximumf", self, other)

    def minimumf(self, other: VectorLike) -> ScalarOrVector:
        """The smaller of two floats; NaN propagates."""
        return float_extreme("minimumf", self, other)

    def exp2(self, *, fastmath: Flags = None) -> Self:
        """2 to the power of this float."""
        return unary("exp2", self, fastmath)  # type: ignore[return-value]

    def rsqrt(self, *, fastmath: Flags = None) -> Self:
        """1 over the square root of this float."""
        return unary("rsqrt", self, fastmath)  # type: ignore[return-value]

    def shrui(self, amount: VectorLike) -> ScalarOrVector:
        """The integer shifted right logically (zeros enter from the left) by `amount` bits."""
        return shrui(self, amount)

    def shuffle_xor(self, offset: IntLike, width: IntLike | None = None) -> Self:
        """The value of the lane whose index is this lane's XOR `offset`; see `fx.shuffle_xor`."""
        from flydsl.expr.threads.shuffle import shuffle_xor

        return shuffle_xor(self, offset, width)  # type: ignore[call-overload, no-any-return]

    def extf(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """Floats as a wider float type, exactly."""
        return self._resized("extf", dtype, is_wider=True)

    def truncf(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """Floats as a narrower float type, rounded to nearest even."""
        return self._resized("truncf", dtype, is_wider=False)

    def extsi(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """Integers as a wider type, taken for signed ones."""
        return self._resized("extsi", dtype, is_wider=True)

    def extui(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """Integers as a wider type, taken for unsigned ones."""
        return self._resized("extui", dtype, is_wider=True)

    def trunci(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """The low bits of integers as a narrower type."""
        return self._resized("trunci", dtype, is_wider=False)

    def index_cast(self, dtype: type[Numeric] | Attribute) -> ScalarOrVector:
        """An index as an integer, or an integer as an index."""
        target, index = _element(dtype), named("Index")
        if target is self.dtype:
            return self  # type: ignore[return-value]
        if index not in (target, self.dtype) or target.is_float or self.dtype.is_float:
            raise FrontendError(
                f"index_cast is between Index and an integer type, found {self!r} and {target.__name__}"
            )
        return self._emitted("index_cast", target)

    def _resized(self, name: str, kind: type[Numeric] | Attribute, *, is_wider: bool) -> ScalarOrVector:
        dtype, is_float = _element(kind), name.endswith("f")
        fits = self.dtype.is_float == dtype.is_float == is_float and named("Index") not in (dtype, self.dtype)
        if not fits or dtype.width == self.dtype.width or (dtype.width > self.dtype.width) != is_wider:
            sought = f"{'wider' if is_wider else 'narrower'} {'float' if is_float else 'integer'} type"
            raise FrontendError(f"{name} of {self!r} needs a {sought}, found {dtype.__name__}; use .to()")
        return self.to(dtype) if is_float else self._emitted(name, dtype)  # type: ignore[attr-defined]

    def _emitted(self, name: str, dtype: type[Numeric]) -> ScalarOrVector:
        kind = current().type(dtype, self.extents)
        value = self.ir_value()  # type: ignore[attr-defined]
        return self._like(current().value(f"arith.{name}", [value], kind), dtype)  # type: ignore[no-any-return]


def _element(kind: type[Numeric] | Attribute) -> type[Numeric]:
    """The element type that is meant by a type of an element or of a vector."""
    return as_dtype(getattr(kind, "element_type", kind))
