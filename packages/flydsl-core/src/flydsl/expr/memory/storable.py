"""Storable types: size, alignment, and access through a pointer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from flydsl.expr.memory.pointer import Pointer
    from flydsl.expr.values.operand_types import StorableType, StoredValue

__all__ = ["Storable", "dsl_align_of", "dsl_size_of", "is_storable", "peek_from_ptr", "poke_into_ptr"]


@runtime_checkable
class Storable(Protocol):
    """A type whose values can be stored in memory: numeric types, arrays, structs, and user-defined types.

    It is a class with these as class methods, or any object with these as methods.
    """

    def __dsl_size_of__(self) -> int:
        """The size of a value, in bytes."""
        ...

    def __dsl_align_of__(self) -> int:
        """The alignment of a value in bytes, a power of two."""
        ...

    def __peek_from_ptr__(self, ptr: Pointer) -> Any:
        """The value at `ptr`, whose element type does not matter."""
        ...

    def __poke_into_ptr__(self, ptr: Pointer, value: StoredValue) -> None:
        """Store a value at `ptr`."""
        ...


def is_storable(dsl_type: StorableType) -> bool:
    """Whether values of `dsl_type` can be stored in memory."""
    return isinstance(dsl_type, Storable)


def dsl_size_of(dsl_type: StorableType) -> int:
    """The size of a value of `dsl_type` in memory, in bytes; FrontendError if the type is not storable."""
    return _storable(dsl_type).__dsl_size_of__()


def dsl_align_of(dsl_type: StorableType) -> int:
    """The alignment of a value of `dsl_type` in memory, in bytes; FrontendError if the type is not storable."""
    return _storable(dsl_type).__dsl_align_of__()


def peek_from_ptr(dsl_type: StorableType, ptr: Pointer) -> Any:
    """Load the value of type `dsl_type` at `ptr`."""
    return _storable(dsl_type).__peek_from_ptr__(ptr)


def poke_into_ptr(dsl_type: StorableType, ptr: Pointer, value: StoredValue) -> None:
    """Store `value` as a `dsl_type` at `ptr`."""
    _storable(dsl_type).__poke_into_ptr__(ptr, value)


def _storable(dsl_type: StorableType) -> Storable:
    if isinstance(dsl_type, Storable):
        return dsl_type
    name = getattr(dsl_type, "__name__", repr(dsl_type))
    raise FrontendError(
        f"{name} cannot be stored in memory; store numeric types, fx.Array[T, n], fx.Align[T, n] or fx.struct types"
    )
