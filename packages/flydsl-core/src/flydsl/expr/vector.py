"""Elements in, register vectors out: arithmetic element by element, reductions, conversions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from math import prod
from typing import Any, Self

from flydsl.base.errors import FrontendError
from flydsl.expr import conversions, operators
from flydsl.expr.context import current
from flydsl.expr.float_flags import RoundingMode
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.operators import Arithmetic

__all__ = ["ReductionOp", "Vector", "full"]


class ReductionOp(Enum):
    """How `Vector.reduce` combines elements; the value is vector.reduction's kind for floats and integers."""

    ADD = "add"
    MUL = "mul"
    MAX = "max"
    MIN = "min"


class Vector(Arithmetic):
    """A vector of registers with a static shape; elements are in row-major order of `shape`."""

    __slots__ = ("dtype", "shape", "value")

    def __init__(
        self, value: Any, shape: Sequence[int] | int | None = None, dtype: type[Numeric] | None = None
    ) -> None:
        if shape is None or dtype is None:
            raise FrontendError("a Vector needs its shape and dtype; use Vector.from_elements or Vector.filled")
        self.value = value
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = dtype

    @classmethod
    def from_elements(cls, elements: Sequence[Any], dtype: type[Numeric] | None = None) -> Vector:
        """A 1-D vector of scalars, converted to `dtype` or to the type of the first."""
        if not elements:
            raise FrontendError("a vector needs at least one element")
        kind = dtype or as_numeric(elements[0]).dtype
        scalars = [kind(element).ir_value() for element in elements]
        emitter = current()
        return cls(
            emitter.value("vector.from_elements", scalars, emitter.type(kind, [len(scalars)])), (len(scalars),), kind
        )

    @classmethod
    def filled(cls, shape: Sequence[int] | int, value: Any, dtype: type[Numeric]) -> Vector:
        """A vector with every element equal to `value`."""
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        return cls(conversions.lanes(as_numeric(value), dtype, extents), extents, dtype)

    @classmethod
    def filled_like(cls, other: Vector, value: Any) -> Vector:
        """A vector of the shape and dtype of `other` with every element equal to `value`."""
        return cls.filled(other.shape, value, other.dtype)

    @classmethod
    def zeros_like(cls, other: Vector) -> Vector:
        """A vector of zeros of the shape and dtype of `other`."""
        return cls.filled_like(other, 0)

    @property
    def numel(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def ir_type(self) -> Any:
        """The MLIR vector type."""
        return self.value.type

    def ir_value(self) -> Any:
        """The SSA value."""
        return self.value

    def __len__(self) -> int:
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return iter([self[index] for index in range(len(self))])

    def __getitem__(self, index: Any) -> Any:
        position = index.__index__()
        if len(self.shape) != 1:
            raise FrontendError(f"indexing needs a 1-D vector, found shape {self.shape}; reshape first")
        if not -self.numel <= position < self.numel:
            raise FrontendError(f"index {position} is out of range for a vector of {self.numel} elements")
        properties = {"static_position": current().integers([position % self.numel])}
        return self.dtype.wrap(
            current().value("vector.extract", [self.value], current().type(self.dtype), properties=properties)
        )

    def to(self, dtype: type[Numeric], *, rounding_mode: RoundingMode | None = None) -> Vector:
        """Every element converted to `dtype`; see `Numeric.to`."""
        if rounding_mode is not None:
            from flydsl.expr.rounding import rounded

            return rounded(self, dtype, rounding_mode)  # type: ignore[no-any-return]
        return self if dtype is self.dtype else Vector(conversions.convert(self, dtype), self.shape, dtype)

    def bitcast(self, dtype: type[Numeric]) -> Vector:
        """The same bits read as elements of `dtype`; the last extent scales with the widths."""
        bits = self.shape[-1] * self.dtype.width
        if bits % dtype.width:
            raise FrontendError(f"{bits} bits cannot be read as elements of {dtype.__name__} ({dtype.width} bits each)")
        shape = (*self.shape[:-1], bits // dtype.width)
        target = current().type(dtype, shape)
        value = self.value if self.value.type == target else current().value("vector.bitcast", [self.value], target)
        return Vector(value, shape, dtype)

    def reshape(self, shape: Sequence[int] | int) -> Vector:
        """The same elements in another shape."""
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        if prod(extents) != self.numel:
            raise FrontendError(f"{self.numel} elements of shape {self.shape} cannot take the shape {extents}")
        return Vector(
            current().value("vector.shape_cast", [self.value], current().type(self.dtype, extents)), extents, self.dtype
        )

    def broadcast_to(self, shape: Sequence[int] | int) -> Vector:
        """The vector repeated along new leading extents."""
        extents = (shape,) if isinstance(shape, int) else tuple(shape)
        if extents[-len(self.shape) :] != self.shape:
            raise FrontendError(f"shape {self.shape} does not broadcast to {extents}")
        return Vector(
            current().value("vector.broadcast", [self.value], current().type(self.dtype, extents)), extents, self.dtype
        )

    def select(self, if_true: Any, if_false: Any) -> Any:
        """Element by element `if_true` where this Boolean vector holds, else `if_false`."""
        return operators.select(self, if_true, if_false)

    def reduce(self, op: ReductionOp, init_val: Any = None) -> Any:
        """All elements combined into one scalar, starting from `init_val`."""
        flat = self if len(self.shape) == 1 else self.reshape(self.numel)
        emitter = current()
        kind = _reduction_kind(op, self.dtype)
        operands = [flat.value] if init_val is None else [flat.value, self.dtype(init_val).ir_value()]
        value = emitter.value(
            "vector.reduction", operands, emitter.type(self.dtype), properties={"kind": emitter.combining_kind(kind)}
        )
        return self.dtype.wrap(value)

    def __repr__(self) -> str:
        return f"Vector({self.dtype.__name__} x {self.shape})"

    def __extract_to_ir_values__(self) -> list[Any]:
        return [self.value]

    def __construct_from_ir_values__(self, values: list[Any]) -> Self:
        return type(self)(values[0], self.shape, self.dtype)


def full(shape: Sequence[int] | int, fill_value: Any, dtype: type[Numeric]) -> Vector:
    """A vector with every element equal to `fill_value`."""
    return Vector.filled(shape, fill_value, dtype)


def _reduction_kind(op: ReductionOp, dtype: type[Numeric]) -> str:
    if op in (ReductionOp.ADD, ReductionOp.MUL):
        return str(op.value)
    if dtype.is_float:
        return "maximumf" if op is ReductionOp.MAX else "minimumf"
    return f"{op.value}{'s' if dtype.is_signed else 'u'}i"
