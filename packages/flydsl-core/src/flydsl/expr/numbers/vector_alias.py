"""Vector classes of a fixed element type and shape: constructor, annotation and result type."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.base import Numeric
from flydsl.expr.numbers.operands import as_numeric
from flydsl.expr.numbers.vector import Vector

if TYPE_CHECKING:
    from typing import Self, TypeAlias

    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.values.operand_types import ScalarLike

    VectorSource: TypeAlias = Vector | Sequence[ScalarLike] | ScalarLike | SSAValue

__all__ = ["VectorAlias"]

_LARGEST_ALIGNMENT = 16


class _IrType:
    """The MLIR type, as an attribute of the class and of its values."""

    __slots__ = ()

    def __get__(self, value: object, owner: type[AliasVector]) -> Attribute:
        return owner.make_type(owner._shape, owner._dtype)


class AliasVector(Vector):
    """Base of the classes that `VectorAlias` creates, such as `fx.Float32x4`.

    `Float32x4(x)` takes a vector of as many elements (converted), a sequence of elements, a number for all of them, or
    an SSA value of the type.
    """

    __slots__ = ()
    # also the attributes `shape` and `dtype` of the classes and their values
    _shape: ClassVar[tuple[int, ...]]
    _dtype: ClassVar[type[Numeric]]
    ir_type = _IrType()

    def __init__(
        self, value: VectorSource, shape: Sequence[int] | int | None = None, dtype: type[Numeric] | None = None
    ) -> None:
        cls = type(self)
        if (shape is not None and _as_shape(shape) != cls._shape) or (dtype is not None and dtype is not cls._dtype):
            raise FrontendError(f"{cls.__name__} has shape {cls._shape} and its own type, found {shape} and {dtype}")
        self.value = _value_of(cls, value)

    def __construct_from_ir_values__(self, values: list[SSAValue]) -> Self:
        return type(self)(values[0])

    @classmethod
    def __dsl_size_of__(cls) -> int:
        return max(1, -(-prod(cls._shape) * cls._dtype.width // 8))

    @classmethod
    def __dsl_align_of__(cls) -> int:
        """The largest power of two that divides the size, at most the 16 bytes of one access."""
        size = cls.__dsl_size_of__()
        return min(size & -size, _LARGEST_ALIGNMENT)

    @classmethod
    def __peek_from_ptr__(cls, ptr: Pointer) -> Self:
        return ptr._recast(cls._dtype).load(cls)

    @classmethod
    def __poke_into_ptr__(cls, ptr: Pointer, value: VectorSource) -> None:
        ptr._recast(cls._dtype).store(cls(value))


@cache
def _alias(dtype: type[Numeric], shape: tuple[int, ...]) -> type[AliasVector]:
    name = f"{dtype.__name__}x{'x'.join(map(str, shape))}"
    known = {"shape": shape, "extents": shape, "_shape": shape, "dtype": dtype, "_dtype": dtype}
    namespace = {"__slots__": (), "__module__": "flydsl.expr.numbers.vector_names", **known}
    return type(name, (AliasVector,), namespace)


def VectorAlias(alias_dtype: type[Numeric], lanes: int | tuple[int, ...] | list[int]) -> Any:  # noqa: N802 - makes a class
    """The class of vectors of `lanes` elements (a number or a shape) of a numeric type; equal arguments, same class."""
    if not (isinstance(alias_dtype, type) and issubclass(alias_dtype, Numeric) and alias_dtype.mlir_name):
        raise FrontendError(f"a vector has elements of a numeric type such as fx.Float32, found {alias_dtype!r}")
    shape = _as_shape(lanes)
    if not shape or min(shape) < 1:
        raise FrontendError(f"a vector has at least one element, found {lanes!r}")
    return _alias(alias_dtype, shape)


def _as_shape(lanes: Sequence[int] | int) -> tuple[int, ...]:
    return (lanes.__index__(),) if hasattr(lanes, "__index__") else tuple(lanes)


def _value_of(cls: type[AliasVector], value: VectorSource) -> SSAValue:
    if hasattr(value, "type") and not hasattr(value, "ir_value"):  # an SSA value
        if value.type != cls.ir_type:
            raise FrontendError(f"{cls.__name__} is of type {cls.ir_type}, found a value of type {value.type}")
        return value  # type: ignore[return-value]
    if not isinstance(value, Vector):
        if not isinstance(value, Sequence):
            return Vector.filled(cls._shape, as_numeric(value), cls._dtype).value
        value = Vector.from_elements(value, cls._dtype)
    if value.numel != prod(cls._shape):
        raise FrontendError(f"{cls.__name__} has {prod(cls._shape)} elements, found {value.numel}")
    return value.to(cls._dtype).reshape(cls._shape).value
