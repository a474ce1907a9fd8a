"""An address in, a pointer argument of a @jit function out: `fx.Pointer` where the function is traced."""

from __future__ import annotations

import ctypes
from typing import Any

from flydsl.base.errors import ArgumentError
from flydsl.expr.memory.address_space import AddressSpace
from flydsl.expr.numeric import Numeric

_LARGEST = (1 << 64) - 1


class PointerArgument:
    """A raw address whose memory the caller keeps alive; nothing of it is checked but its alignment."""

    __slots__ = ("address", "address_space", "alignment", "element_type")

    def __init__(self, element_type: type[Numeric], address: int, space: AddressSpace, alignment: int) -> None:
        self.element_type, self.address = element_type, address
        self.address_space, self.alignment = space, alignment

    def __repr__(self) -> str:
        return f"<pointer to {self.element_type.__name__} at {self.address:#x}>"


def from_c_void_p(
    element_type: type[Numeric],
    pointer: ctypes.c_void_p | int | None,
    *,
    address_space: AddressSpace = AddressSpace.Global,
    assumed_align: int | None = None,
) -> PointerArgument:
    """The address `pointer` (None is the null pointer) as an argument that points to `element_type`.

    `assumed_align` promises an alignment in bytes, the element's by default; it is checked at each call.
    """
    if not (isinstance(element_type, type) and issubclass(element_type, Numeric) and element_type is not Numeric):
        raise ArgumentError(f"element_type is a numeric type such as fx.Float32, found {element_type!r}")
    space = _space(address_space)
    size = element_type.__dsl_size_of__()
    align = size if assumed_align is None else assumed_align
    if not isinstance(align, int) or align <= 0 or align % size or align & (align - 1):
        raise ArgumentError(f"assumed_align is a power of two and a multiple of {size} bytes, found {assumed_align!r}")
    return PointerArgument(element_type, _address(pointer), space, align)


def _space(value: Any) -> AddressSpace:
    try:
        space = AddressSpace(value)
    except ValueError:
        space = AddressSpace.Register
    if space not in (AddressSpace.Generic, AddressSpace.Global):
        raise ArgumentError(
            f"a pointer of the host is in fx.AddressSpace.Global or fx.AddressSpace.Generic, found {value!r}"
        )
    return space


def _address(pointer: Any) -> int:
    value = pointer.value if isinstance(pointer, ctypes.c_void_p) else pointer
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _LARGEST:
        raise ArgumentError(
            f"a pointer is a ctypes.c_void_p, an integer from 0 to 2**64 - 1 or None, found {pointer!r}"
        )
    return value
