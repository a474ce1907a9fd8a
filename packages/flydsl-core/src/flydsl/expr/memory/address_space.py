"""Address spaces, and pointer types in them."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.numbers.registry import numeric_by_type

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric

__all__ = ["AddressSpace", "is_generic_address_space", "is_target_address_space"]


class AddressSpace(IntEnum):
    """The address spaces that every target has."""

    Generic = 0
    Global = 1
    Shared = 2
    Register = 3


def pointer_type(element: Any, space: Any, alignment: int = 0, swizzle: Any = None) -> Any:
    """The fly type of a pointer; checks that the alignment is a multiple of the element's size."""
    from flydsl.ir.fly.types import PointerType

    return PointerType.get(element, space, alignment, swizzle)


def retyped_pointer(src_type: Any, element: type[Numeric]) -> Any:
    """The type of a pointer of `src_type` that points to `element` at the same address."""
    size = max(1, -(-element.width // 8))
    alignment = src_type.align if src_type.align % size == 0 else size
    return pointer_type(memory_dtype(element), src_type.space, alignment, src_type.swizzle)


def element_numeric(kind: Any) -> type[Numeric] | None:
    """The numeric type of the elements of a pointer or tensor type, None if the language has no such type."""
    return numeric_by_type().get(getattr(kind, "element", None))  # type: ignore[arg-type]


def is_generic_address_space(address_space: Any, expected: AddressSpace) -> bool:
    """Whether the address space of a pointer or tensor is `expected`, one that every target has."""
    from flydsl.ir.fly.attributes import space_attribute

    return bool(space_attribute(address_space) == space_attribute(expected))


def is_target_address_space(address_space: Any, expected: Any) -> bool:
    """Whether the address space of a pointer or tensor is a target's own: `expected` is an attribute or its class."""
    from flydsl.ir.fly.attributes import AddressSpaceAttr, space_attribute

    space = space_attribute(address_space)
    if isinstance(space, AddressSpaceAttr):
        return False
    return isinstance(space, expected) if isinstance(expected, type) else bool(space == expected)
