"""Element types and address spaces in, pointer types out."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from flydsl.expr.numeric import Numeric

__all__ = ["AddressSpace", "PointerType"]


class AddressSpace(IntEnum):
    """Where a pointer points, on every target."""

    Generic = 0
    Global = 1
    Shared = 2
    Register = 3


class PointerType:
    """`PointerType.get(element, address_space, alignment)`: the type that `recast_iter` and `inttoptr` make."""

    @staticmethod
    def get(elem_ty: Any, address_space: Any = AddressSpace.Global, alignment: int | None = None) -> Any:
        """A pointer type; `elem_ty` is a numeric type or an MLIR type, `alignment` in bytes (None: the element's)."""
        return pointer_type(elem_ty, address_space, alignment or 0)


def pointer_type(element: Any, space: Any, alignment: int = 0, swizzle: Any = None) -> Any:
    """The fly type of a pointer; checks that the alignment is a multiple of the element's size."""
    from xdsl.ir import Attribute

    from flydsl.ir.fly.element import element_bits
    from flydsl.ir.fly.types import PointerType as FlyPointerType

    kind = element.ir_type_of() if hasattr(element, "ir_type_of") else element
    if not isinstance(kind, Attribute):
        raise FrontendError(f"a pointer points to a numeric type such as fx.Float32, found {element!r}")
    size = -(-element_bits(kind) // 8)
    if not isinstance(alignment, int) or alignment < 0 or alignment % size:
        raise FrontendError(f"the alignment of a pointer to {kind} is a multiple of {size} bytes, found {alignment!r}")
    return FlyPointerType(kind, _space(space), alignment, swizzle)


def same_place(src_type: Any, element: type[Numeric]) -> Any:
    """The type of a pointer of `src_type` that points to `element` at the same address."""
    size = max(1, -(-element.width // 8))
    alignment = src_type.align if src_type.align % size == 0 else size
    return pointer_type(element, src_type.space, alignment, src_type.swizzle)


def _space(space: Any) -> Any:
    from xdsl.ir import Attribute

    from flydsl.ir.fly.attributes import GENERIC, GLOBAL, REGISTER, SHARED

    if isinstance(space, Attribute):
        return space
    try:
        return (GENERIC, GLOBAL, SHARED, REGISTER)[AddressSpace(space)]
    except ValueError:
        known = ", ".join(f"fx.AddressSpace.{known.name}" for known in AddressSpace)
        raise FrontendError(f"{space!r} is no address space; known: {known}, and those of the target") from None
