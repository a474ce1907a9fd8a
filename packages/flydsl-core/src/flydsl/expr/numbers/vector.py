"""Vectors in registers: element-wise arithmetic, reductions, conversions, loads and stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any, Self, TypeVar, overload

from flydsl.base.errors import FrontendError
from flydsl.base.wording import with_article
from flydsl.expr.numbers import casts, operators
from flydsl.expr.numbers.arithmetic import Arithmetic
from flydsl.expr.numbers.base import Numeric
from flydsl.expr.numbers.fast_math import RoundingMode
from flydsl.expr.numbers.literals import known_number
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.operands import as_numeric
from flydsl.expr.numbers.reduction import ReductionOp, reduced
from flydsl.expr.numbers.registry import as_dtype, named, numeric_by_type
from flydsl.expr.numbers.rounding import rounded
from flydsl.expr.numbers.vector_shape import (
    as_shape,
    broadcast_indices,
    coordinate_index,
    is_dynamic_index,
    number_of,
    position_in,
    row_major_indices,
)
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.numbers.fast_math import Flags
    from flydsl.expr.numbers.operator_types import VectorArithmetic
    from flydsl.expr.numbers.vector_shape import Shape, ShapeLike
    from flydsl.expr.values.operand_types import CoordLike, IntLike, ScalarLike, VectorLike
    from flydsl.expr.values.traced_types import Scalar, ScalarOrVector
else:
    VectorArithmetic = Arithmetic  # the operators, with static types

__all__ = ["ReductionOp", "Vector", "empty_like", "full", "full_like", "ones_like", "zeros_like"]


R = TypeVar("R")


class Vector(VectorArithmetic):
    """A vector in registers with a static shape; elements are in row-major order of `shape`.

    One that a tensor gives has the tensor's shape, nested as it is, and its order: mode 0 changes fastest.
    """

    __slots__ = ("dtype", "extents", "shape", "value")
    value: SSAValue
    shape: Shape
    extents: tuple[int, ...]
    """The extents of the MLIR vector: those of `shape`, or one for all elements of a vector in the order of tensors."""
    dtype: type[Numeric]

    def __init__(
        self, value: Vector | SSAValue, shape: ShapeLike | None = None, dtype: type[Numeric] | None = None
    ) -> None:
        """Wrap an SSA value, with the shape and dtype of its type by default, or copy a Vector.

        A shape that is not that of the value is one in the order of tensors.
        """
        source = value if isinstance(value, Vector) else None
        self.value = value.value if isinstance(value, Vector) else value
        known = source if source is not None else vector_class(getattr(value, "type", None))
        if known is None and (shape is None or dtype is None):
            raise FrontendError("a Vector wraps a vector value; make one with Vector.from_elements or Vector.filled")
        extents = known.extents if known is not None else None
        self.shape = known.shape if shape is None and known is not None else as_shape(shape)  # type: ignore[arg-type]
        self.extents = extents if extents is not None else self.shape  # type: ignore[assignment]
        if self.shape != self.extents and (len(self.extents) != 1 or number_of(self.shape) != self.extents[0]):
            raise FrontendError(f"a vector of {self.extents} elements cannot have the shape {self.shape}")
        self.dtype = known.dtype if dtype is None and known is not None else dtype  # type: ignore[assignment]

    def _like(self, value: SSAValue, dtype: type[Numeric]) -> Vector:
        return Vector(value, self.shape, dtype)

    @property
    def _is_of_tensor(self) -> bool:
        """Whether the elements are in the order of tensors, which one extent does not tell from the other."""
        return self.shape != self.extents

    def in_order_of_tensors(self) -> Vector:
        """The same elements at the same coordinates, in the order that tensors have: mode 0 changes fastest."""
        if len(self.extents) == 1:
            return self
        flat = self.reshape(self.numel)
        return Vector(flat.shuffle(flat, row_major_indices(self.extents)).value, self.shape, self.dtype)

    def flattened_like(self, like: Vector) -> Vector:
        """This 1-D vector with the shape of `like`, whose `reshape(numel)` has elements in the same order."""
        return Vector(self.value, like.shape, self.dtype) if len(like.extents) == 1 else self.reshape(like.extents)

    @staticmethod
    def make_type(shape: ShapeLike, dtype: type[Numeric]) -> Attribute:
        """The MLIR type of vectors of `shape`."""
        from flydsl.expr.numbers.mlir_types import vector_type

        given = as_shape(shape)
        nested = any(isinstance(mode, tuple) for mode in given)
        return vector_type(dtype.mlir_name, (number_of(given),) if nested else given)

    @classmethod
    def from_elements(cls, elements: Sequence[ScalarLike], dtype: type[Numeric] | None = None) -> Vector:
        """A 1-D vector of scalars, converted to `dtype` or to the type of the first one."""
        if not elements:
            raise FrontendError("a vector needs at least one element")
        kind = dtype or as_numeric(elements[0]).dtype
        scalars = [kind(element).ir_value() for element in elements]
        emitter = current()
        value = emitter.value("vector.from_elements", scalars, emitter.type(kind, [len(scalars)]))
        return Vector(value, (len(scalars),), kind)

    @classmethod
    def filled(cls, shape: ShapeLike, fill_value: ScalarLike, dtype: type[Numeric]) -> Vector:
        """A vector of a static shape with every element equal to `fill_value`, converted to `dtype`."""
        given, dtype = as_shape(shape), as_dtype(dtype)
        extents = (number_of(given),) if any(isinstance(mode, tuple) for mode in given) else given
        scalar = dtype(known_number(fill_value))
        return Vector(casts.broadcast_as(scalar, dtype, extents), given, dtype)  # type: ignore[arg-type]

    @classmethod
    def filled_like(cls, template: Vector, fill_value: ScalarLike, dtype: type[Numeric] | None = None) -> Vector:
        """A vector of the shape of `template`, and by default its dtype, with every element equal to `fill_value`."""
        filled = cls.filled(template.extents, fill_value, dtype or template.dtype)
        return Vector(filled, template.shape)

    @classmethod
    def zeros_like(cls, template: Vector, dtype: type[Numeric] | None = None) -> Vector:
        """A vector of zeros of the shape of `template`, and by default its dtype."""
        return cls.filled_like(template, 0, dtype)

    @classmethod
    def load(cls, result_type: type[Vector], memref: Tensor, indices: CoordLike) -> Vector:
        """Load a vector of `result_type` from consecutive addresses, starting at coordinate `indices` of a tensor."""
        if vector_class(result_type) is None:
            raise FrontendError(f"Vector.load takes a vector type such as fx.Float32x4, found {result_type!r}")
        return _pointer_at(memref, indices).load(result_type)

    def store(self, memref: Tensor, indices: CoordLike, *, alignment: int | None = None) -> None:
        """Store the elements at consecutive addresses, starting at coordinate `indices` of a tensor.

        `alignment` in bytes asserts a larger alignment of the first address than its type has.
        """
        pointer = _pointer_at(memref, indices)
        if alignment is not None:
            kind = pointer.payload
            pointer = pointer._recast(kind.get(kind.element, kind.space, alignment, kind.swizzle))
        pointer.store(self)

    @property
    def element_type(self) -> type[Numeric]:
        """The element type."""
        return self.dtype

    @property
    def signed(self) -> bool:
        """Whether the elements are integers with a sign."""
        return self.dtype.is_signed and not self.dtype.is_float

    @property
    def numel(self) -> int:
        """Number of elements."""
        return prod(self.extents)

    @property
    def ir_type(self) -> Attribute:
        """The MLIR vector type."""
        return self.value.type

    def ir_value(self) -> SSAValue:
        """The SSA value."""
        return self.value

    def __len__(self) -> int:
        return int(self.extents[0])

    def __iter__(self) -> Iterator[Scalar]:
        return iter([self[index] for index in range(len(self))])

    @overload
    def __getitem__(self, idx: IntLike | tuple[IntLike, ...]) -> Scalar: ...
    @overload
    def __getitem__(self, idx: slice) -> Vector: ...
    def __getitem__(self, idx: IntLike | slice | tuple[IntLike, ...]) -> Numeric | Vector:
        """The element at an index, or a tuple of them for several dimensions; of a 1-D vector, the part at a slice.

        A vector that a tensor gave takes coordinates of its shape, and one index for all elements. An index that is
        known only at run time counts from the start, and must be within the vector.
        """
        if isinstance(idx, slice):
            return self._flat("a slice").shuffle(self, range(*idx.indices(self.numel)))
        path = idx if isinstance(idx, tuple) else (idx,)
        if self._is_of_tensor and isinstance(idx, tuple):
            path = (coordinate_index(idx, self.shape),)
        if len(path) != len(self.extents):
            raise FrontendError(f"a vector of shape {self.shape} has {len(self.shape)} indices, found {idx!r}")
        if any(map(is_dynamic_index, path)):
            from flydsl.expr.numbers.vector_index import selected_element  # few kernels need it

            return selected_element(self, path)
        positions = [position_in(index, extent) for index, extent in zip(path, self.extents, strict=True)]
        properties = {"static_position": current().integers(positions)}
        return self.dtype.wrap(
            current().value("vector.extract", [self.value], current().type(self.dtype), properties=properties)
        )

    def to(self, dtype: type[Numeric], *, rounding_mode: RoundingMode | None = None) -> Vector:
        """Every element converted to `dtype`; see `Numeric.to`."""
        if rounding_mode is not None:
            return rounded(self, dtype, rounding_mode)  # type: ignore[no-any-return]
        dtype = as_dtype(dtype)
        return self if dtype is self.dtype else Vector(casts.convert(self, dtype), self.shape, dtype)

    def bitcast(self, dtype: type[Numeric] | type[Vector] | Attribute) -> Vector:
        """The same bits as elements of `dtype` (the last extent scales with the widths), or as a vector type."""
        kind = vector_class(dtype)
        if kind is not None:
            flat = self.reshape(self.numel).bitcast(kind.dtype)
            return kind(flat.reshape(kind.shape).value)  # type: ignore[no-any-return]
        element: Any = as_dtype(dtype)
        bits = self.extents[-1] * self.dtype.width
        if bits % element.width:
            raise FrontendError(
                f"{bits} bits cannot be read as elements of {element.__name__} ({element.width} bits each)"
            )
        extents = (*self.extents[:-1], bits // element.width)
        target = current().type(element, extents)
        value = self.value if self.value.type == target else current().value("vector.bitcast", [self.value], target)
        return Vector(value, self.shape if extents == self.extents else extents, element)

    def with_signedness(self, signed: bool) -> Vector:
        """The same bits as integers with or without a sign."""
        if self.dtype.is_float or self.dtype.width < 8 or self.dtype is named("Index"):
            raise FrontendError(f"{with_article(self.dtype.__name__)} has no counterpart of another sign")
        return self._like(self.value, named(f"{'Int' if signed else 'Uint'}{self.dtype.width}"))

    def reshape(self, shape: ShapeLike) -> Vector:
        """The same elements in another shape; a nested one is in the order of tensors."""
        given = as_shape(shape)
        if number_of(given) != self.numel:
            raise FrontendError(f"{self.numel} elements of shape {self.shape} cannot take the shape {given}")
        if given == self.shape:
            return self
        if any(isinstance(mode, tuple) for mode in given):
            return Vector(self.reshape(self.numel).value, given, self.dtype)
        extents: tuple[int, ...] = given  # type: ignore[assignment]
        if extents == self.extents:
            return Vector(self.value, extents, self.dtype)
        target = current().type(self.dtype, extents)
        return Vector(current().value("vector.shape_cast", [self.value], target), extents, self.dtype)

    def broadcast_to(self, target_shape: ShapeLike) -> Vector:
        """The vector repeated along new leading extents and along extents of 1.

        One that a tensor gave is repeated along extents of 1 of its shape.
        """
        given = as_shape(target_shape)
        if given == self.shape:
            return self
        if self._is_of_tensor:
            indices = broadcast_indices(self.shape, given)
            if indices is None:
                raise FrontendError(f"shape {self.shape} does not broadcast to {given}")
            flat = self.reshape(self.numel)
            return Vector(flat.shuffle(flat, indices).value, given, self.dtype)
        extents: tuple[int, ...] = given  # type: ignore[assignment]
        own = (1,) * (len(extents) - len(self.extents)) + tuple(self.extents)
        if len(own) != len(extents) or any(a not in (1, b) for a, b in zip(own, extents, strict=True)):
            raise FrontendError(f"shape {self.shape} does not broadcast to {extents}")
        target = current().type(self.dtype, extents)
        return Vector(current().value("vector.broadcast", [self.value], target), extents, self.dtype)

    def shuffle(self, other: Vector, mask: Sequence[int]) -> Vector:
        """The elements of this 1-D vector and `other`, concatenated, at the indices `mask`."""
        positions = [index.__index__() for index in mask]
        a, b = self._flat("a shuffle"), other._flat("a shuffle")
        if a.dtype is not b.dtype:
            raise FrontendError(f"a shuffle needs vectors of one type, found {a!r} and {b!r}")
        if not positions or not all(0 <= position < a.numel + b.numel for position in positions):
            raise FrontendError(f"a shuffle of {a.numel} and {b.numel} elements cannot take {positions}")
        emitter = current()
        target = emitter.type(self.dtype, [len(positions)])
        properties = {"mask": emitter.integers(positions)}
        value = emitter.value("vector.shuffle", [a.value, b.value], target, properties=properties)
        return Vector(value, (len(positions),), self.dtype)

    def apply_op(self, op: Callable[[VectorLike, VectorLike], R], other: VectorLike, flip: bool = False) -> R:
        """`op(self, other)`, a function such as `operator.add`; with `flip`, `op(other, self)`."""
        return op(other, self) if flip else op(self, other)

    def select(self, true_value: VectorLike, false_value: VectorLike) -> Vector:
        """Element by element, `true_value` where this Boolean vector is true, else `false_value`."""
        return operators.select(self, true_value, false_value)

    def reduce(
        self,
        op: ReductionOp | str,
        init_val: ScalarLike | None = None,
        reduction_profile: object = None,
        *,
        fastmath: Flags = None,
    ) -> ScalarOrVector:
        """All elements combined into one scalar, starting from `init_val`; a NaN is left out of MAX, and wins MIN.

        With `reduction_profile`, a tuple with None for each extent to keep, a vector of the kept extents.
        """
        return reduced(self, op, init_val, reduction_profile, fastmath)

    def _flat(self, what: str) -> Vector:
        if len(self.extents) != 1:
            raise FrontendError(f"{what} needs a 1-D vector, found shape {self.shape}; reshape first")
        return self

    def __repr__(self) -> str:
        return f"Vector({self.dtype.__name__} x {self.shape})"

    def __extract_to_ir_values__(self) -> list[SSAValue]:
        return [self.value]

    def __construct_from_ir_values__(self, values: list[SSAValue]) -> Self:
        return type(self)(values[0], self.shape, self.dtype)

    type = ir_type  # the last name: it hides the builtin one from annotations


def full(shape: ShapeLike, fill_value: ScalarLike, dtype: type[Numeric]) -> Vector:
    """A vector of a static shape with every element equal to `fill_value`, converted to `dtype`."""
    return Vector.filled(shape, fill_value, dtype)


def full_like(a: Vector, fill_value: ScalarLike, dtype: type[Numeric] | None = None) -> Vector:
    """A vector of the shape of `a`, and by default its dtype, with every element equal to `fill_value`."""
    return Vector.filled_like(a, fill_value, dtype)


def zeros_like(a: Vector, dtype: type[Numeric] | None = None) -> Vector:
    """A vector of zeros of the shape of `a`, and by default its dtype."""
    return Vector.filled_like(a, 0, dtype)


def ones_like(a: Vector, dtype: type[Numeric] | None = None) -> Vector:
    """A vector of ones of the shape of `a`, and by default its dtype."""
    return Vector.filled_like(a, 1, dtype)


def empty_like(a: Vector, dtype: type[Numeric] | None = None) -> Vector:
    """A vector of the shape of `a`, and by default its dtype, with unspecified elements (now zero)."""
    return Vector.filled_like(a, 0, dtype)


def vector_class(kind: object) -> Any:
    """The alias class of a vector type, which is an alias or an MLIR vector type; None for anything else."""
    if isinstance(kind, type):
        return kind if issubclass(kind, Vector) and kind is not Vector else None
    if not hasattr(kind, "get_shape") or not hasattr(kind, "element_type"):
        return None
    from flydsl.expr.numbers.vector_alias import VectorAlias

    dtype = numeric_by_type().get(kind.element_type)
    return None if not isinstance(dtype, NumericMeta) else VectorAlias(dtype, tuple(kind.get_shape()))


def _pointer_at(memref: Tensor, indices: CoordLike) -> Pointer:
    if not getattr(memref, "has_storage", False):
        raise FrontendError(f"a vector is loaded from and stored to a tensor, found {memref!r}")
    return memref.iter + memref.layout(indices)  # type: ignore[operator]
