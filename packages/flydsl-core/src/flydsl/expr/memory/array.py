"""Element types and counts in, types of storage out: arrays, and types with a larger alignment."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.base.location import user_location
from flydsl.expr.memory.storable import dsl_align_of, dsl_size_of, is_storable, peek_from_ptr, poke_into_ptr
from flydsl.expr.numeric import Numeric

if TYPE_CHECKING:
    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.memory.storage import Storage
    from flydsl.expr.values.operand_types import StorableType, StoredValue

__all__ = ["Align", "Array"]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`Array[T, n]`: the type of n values of a storable type, one after the other."""

    dtype: Any
    count: int

    def __dsl_size_of__(self) -> int:
        if isinstance(self.dtype, type) and issubclass(self.dtype, Numeric) and self.dtype.width > 1:
            return -(-self.dtype.width * self.count // 8)
        return dsl_size_of(self.dtype) * self.count

    def __dsl_align_of__(self) -> int:
        return dsl_align_of(self.dtype)

    def __peek_from_ptr__(self, ptr: Pointer) -> Storage:
        """Arrays stay where they are: the value of an array is its storage."""
        from flydsl.expr.memory.storage import Storage

        return Storage(ptr, self)

    def __poke_into_ptr__(self, ptr: Pointer, value: StoredValue) -> None:
        if not isinstance(value, Iterable) and not hasattr(value, "__getitem__"):
            raise FrontendError(f"{self!r} is written from {self.count} elements, found {value!r}")
        from flydsl.expr.memory.storage import Storage

        elements: list[StoredValue] = list(value)  # type: ignore[call-overload]
        if len(elements) != self.count:
            raise FrontendError(f"{self!r} is written from {self.count} elements, found {len(elements)}")
        storage = Storage(ptr, self)
        for index, element in enumerate(elements):
            storage[index] = element

    def __repr__(self) -> str:
        return f"Array[{type_name(self.dtype)}, {self.count}]"


@dataclass(frozen=True, slots=True)
class AlignType:
    """`Align[T, n]`: the type T at addresses that are multiples of n bytes."""

    dtype: Any
    align: int

    def __dsl_size_of__(self) -> int:
        return dsl_size_of(self.dtype)

    def __dsl_align_of__(self) -> int:
        return max(self.align, dsl_align_of(self.dtype))

    def __peek_from_ptr__(self, ptr: Pointer) -> Any:
        return peek_from_ptr(self.dtype, ptr)

    def __poke_into_ptr__(self, ptr: Pointer, value: StoredValue) -> None:
        poke_into_ptr(self.dtype, ptr, value)

    def __repr__(self) -> str:
        return f"Align[{type_name(self.dtype)}, {self.align}]"


class _ArrayForm(type):
    """What `fx.Array` is: indexed, an `ArrayType`."""

    def __getitem__(cls, params: tuple[StorableType, int]) -> ArrayType:
        if not isinstance(params, tuple) or len(params) != 2:
            raise definition_error(f"an array is written fx.Array[T, n], found fx.Array[{params!r}]")
        dtype, count = params
        count = getattr(count, "value", count)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise definition_error(f"an array has a positive number of elements, found {count!r}")
        if not is_storable(dtype):
            raise definition_error(f"an array holds a storable type such as fx.Float32, found {dtype!r}")
        return ArrayType(dtype, count)


class _AlignForm(type):
    """What `fx.Align` is: indexed, an `AlignType`."""

    def __getitem__(cls, params: tuple[StorableType, int]) -> AlignType:
        if not isinstance(params, tuple) or len(params) != 2:
            raise definition_error(f"an alignment is written fx.Align[T, n], found fx.Align[{params!r}]")
        dtype, align = params
        check_alignment(align)
        if not is_storable(dtype):
            raise definition_error(f"an alignment is that of a storable type, found {dtype!r}")
        return AlignType(dtype, align)


class Array(metaclass=_ArrayForm):
    """`fx.Array[T, n]`: the type of n values of a storable type, one after the other."""


class Align(metaclass=_AlignForm):
    """`fx.Align[T, n]`: the type T at addresses that are multiples of n bytes."""

    dtype: Any = None
    align: int | None = None


def type_name(kind: StorableType) -> str:
    """How a type is shown."""
    return kind.__name__ if isinstance(kind, type) else repr(kind)


def check_alignment(align: int) -> None:
    """An alignment must be a power of two."""
    if not isinstance(align, int) or align < 1 or align & (align - 1):
        raise definition_error(f"an alignment is a power of two in bytes, found {align!r}")


def definition_error(message: str) -> FrontendError:
    """An error with the user's line, also where nothing is being traced."""
    error = FrontendError(message)
    error.location = user_location()
    return error
