"""Pointer and tensor types by parameters (`PointerType.get(element, space)`) and their parameters by name: mixins."""

from __future__ import annotations

from typing import Any, Self

from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import FrontendError
from flydsl.ir.fly.access import element_type, payload, space_attribute


class PointerAccess:
    """`PointerType.get(elem_ty, address_space, alignment)`."""

    element: Attribute
    space: Attribute
    align: int

    @classmethod
    def get(cls, elem_ty: Any, address_space: Any = None, alignment: int | None = None, swizzle: Any = None) -> Self:
        """The type of a pointer to `elem_ty`, into global memory and aligned as its element by default (bytes)."""
        return cls(*_place(elem_ty, address_space), *_suffix(elem_ty, alignment, swizzle))  # type: ignore[call-arg]

    @property
    def element_type(self) -> Attribute:
        """The MLIR type of the elements."""
        return self.element

    @property
    def address_space(self) -> Attribute:
        """Where it points."""
        return self.space

    @property
    def alignment(self) -> int:
        """Guaranteed alignment in bytes."""
        return self.align


class MemRefAccess(PointerAccess):
    """`MemRefType.get(elem_ty, layout, address_space, alignment)`."""

    layout: Any

    @classmethod
    def get(  # type: ignore[override]
        cls, elem_ty: Any, layout: Any, address_space: Any = None, alignment: int | None = None, swizzle: Any = None
    ) -> Self:
        """The type of a tensor of `elem_ty` with a layout, in global memory by default; `alignment` in bytes."""
        place, suffix = _place(elem_ty, address_space), _suffix(elem_ty, alignment, swizzle)
        return cls(*place, payload(layout), *suffix)  # type: ignore[call-arg]

    @property
    def leading_dim(self) -> int | None:
        """The first mode of static stride 1, None when there is none."""
        strides = self.layout.stride if isinstance(self.layout.stride, tuple) else (self.layout.stride,)
        return next((index for index, stride in enumerate(strides) if stride == 1), None)


class CoordTensorAccess:
    """`CoordTensorType.get(base, layout)`."""

    base: Any
    layout: Any

    @classmethod
    def get(cls, base: Any, layout: Any) -> Self:
        """The type of a tensor of coordinates from `base` on."""
        return cls(payload(base), payload(layout))  # type: ignore[call-arg]

    @property
    def rank(self) -> int:
        """Number of modes."""
        return fl.rank(self.layout)

    @property
    def depth(self) -> int:
        """Nesting depth of the shape."""
        return fl.depth(self.layout)

    @property
    def is_leaf(self) -> bool:
        """Whether there is one mode, which is no tuple."""
        return not isinstance(self.layout.shape, tuple)

    @property
    def is_static(self) -> bool:
        """Whether all is known."""
        return bool(fl.is_static(self.base) and fl.is_static(self.layout))


def _place(elem_ty: Any, space: Any) -> tuple[Attribute, Attribute]:
    from flydsl.ir.fly.attributes import GLOBAL

    return element_type(elem_ty), GLOBAL if space is None else space_attribute(space)


def _suffix(element: Any, alignment: int | None, swizzle: Any) -> tuple[int, Any]:
    from flydsl.ir.fly.element import element_bits

    kind = element_type(element)
    size = -(-element_bits(kind) // 8)
    align = 0 if alignment is None else alignment
    if not isinstance(align, int) or align < 0 or align % size:
        raise FrontendError(f"the alignment of a pointer to {kind} is a multiple of {size} bytes, found {alignment!r}")
    return align, None if swizzle is None else payload(swizzle)
