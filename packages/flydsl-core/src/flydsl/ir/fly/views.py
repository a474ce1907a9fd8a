"""Tensor operations on layout values: slices, partitions and fragments as (offset from the iterator, layout).

Type inference calls these with layouts of types, lowering with layouts whose dynamic leaves are emitted values.
"""

from __future__ import annotations

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CoordTensorType, MemRefType
from flydsl.layout.modes import zero_stars

__all__ = ["decomposed", "fragment_layout", "sliced"]

Layout = fl.Layout | fl.ComposedLayout


def sliced(layout: Layout, coord: fl.IntTuple) -> tuple[fl.IntTuple, Layout]:
    """The open modes of a coordinate: the index it points to, with 0 for each `*`, and the layout of what is left.

    A composed layout keeps the index in its offset, since its inner part does not commute with moving the iterator.
    """
    start = zero_stars(coord)
    if isinstance(layout, fl.ComposedLayout):
        kept = fl.slice_(layout, coord)
        return 0, fl.ComposedLayout(layout.inner, fl.int_tuple_add(layout.offset, fl.crd2idx(start, layout.outer)), kept.outer)
    return fl.crd2idx(start, layout), fl.slice_(layout, coord)


def fragment_layout(layout: Layout) -> fl.Layout:
    """The layout of registers for a tensor of this layout."""
    return fl.make_fragment_layout_like(layout)


def decomposed(tensor: MemRefType | CoordTensorType) -> tuple[fl.IntTuple, Layout, fl.Swizzle | None]:
    """A tensor whose layout is composed as (offset of the iterator, plain layout, swizzle of the byte address).

    Only `swizzle o offset o layout` of a pointer decomposes; the swizzle counts bytes instead of elements.
    """
    layout = tensor.layout
    if not isinstance(layout, fl.ComposedLayout):
        return 0, layout, None
    if not isinstance(tensor, MemRefType) or not isinstance(layout.inner, fl.Swizzle) or tensor.swizzle is not None:
        raise LayoutError("decomposition", (tensor,), "only a swizzled layout of a pointer without swizzle decomposes")
    swizzle = layout.inner
    bits = element_bits(tensor.element)
    base = swizzle.base + bits.bit_length() - 1 - 3
    if bits & (bits - 1) or base < 0:
        raise LayoutError("decomposition", (tensor,), f"elements of {bits} bits do not fill the swizzle's granule of bytes")
    return layout.offset, layout.outer, fl.Swizzle(swizzle.mask, base, swizzle.shift)
