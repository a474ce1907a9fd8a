"""The pieces of a partitioned tensor: what each atom call works on, mode 0 at every index of the other modes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import views
from flydsl.layout.int_tuple import flat
from flydsl.layout.layout import joined
from flydsl.passes.layout_lowering.tensor_values import Pointer, View, static_size, unrolled


def pieces(view: View) -> list[View]:
    """Mode 0 of the tensor, at each index of the other modes in column-major order; their extents must be static."""
    layout = view.layout
    outer = outer_layout(view)
    value, offsets = _split(outer) if outer.is_plain else _split.__wrapped__(outer)
    if layout is outer:
        return [view.moved(offset, value) for offset in offsets]
    starts = [fl.int_tuple_add(layout.offset, offset) for offset in offsets]
    return [View(view.iter, fl.ComposedLayout(layout.inner, start, value)) for start in starts]


@lru_cache(maxsize=1024)
def _split(layout: fl.Layout) -> tuple[fl.Layout, list[Any]]:
    """The first mode, and the index of every place of the others."""
    first, *others = layout
    rest = joined(others)
    return first, [rest(index) for index in unrolled(layout, static_size(rest))]


def outer_layout(view: View) -> fl.Layout:
    """The layout that the modes of a tensor have, beneath a swizzle."""
    layout = view.layout
    outer = layout.outer if isinstance(layout, fl.ComposedLayout) else layout
    if not isinstance(outer, fl.Layout):
        raise IRError(f"a composed layout over another one cannot be taken apart here: {layout}")
    return outer


def direct(view: View) -> View:
    """The tensor with a plain layout.

    A swizzle goes into the offset where one granule holds the whole tensor, and onto the pointer elsewhere.
    """
    layout = view.layout
    if isinstance(layout, fl.Layout):
        return view
    if isinstance(layout.inner, fl.Swizzle) and isinstance(layout.outer, fl.Layout):
        offset, outer = layout.offset, layout.outer
        if not isinstance(offset, tuple) and _in_granule(offset, outer, 1 << layout.inner.base):
            return view.moved(layout.inner(offset), outer)
    if not views.is_decomposable(layout):
        raise IRError(f"only a plain or a swizzled layout can be copied or multiplied, found {layout}")
    return decomposed(view)


def decomposed(view: View) -> View:
    """The tensor with a plain layout, as `views.decomposed` tells."""
    if isinstance(view.layout, fl.Layout):
        return view
    if not isinstance(view.iter, Pointer):
        raise IRError(f"decomposition: only a tensor with storage decomposes, found the layout {view.layout}")
    offset, layout, swizzle = views.decomposed(view.layout, view.type)
    moved = view.moved(offset, layout)
    return View(moved.pointer.swizzled(swizzle), layout)


def _in_granule(offset: Any, outer: fl.Layout, granule: int) -> bool:
    """Every index of `offset + outer` is in the granule that `offset` is in, which a swizzle moves as a whole."""
    extent = _extent(outer) if outer.is_plain else 0
    if not 0 < extent <= granule:
        return False
    if isinstance(offset, int):
        return offset % granule + extent <= granule
    step: int = offset.div
    return step % granule == 0 or (granule % step == 0 and extent <= step)


@lru_cache(maxsize=1024)
def _extent(layout: fl.Layout) -> int:
    """The last index plus 1 of a static layout without negative strides, 0 for others."""
    extent = fl.cosize(layout)
    if not isinstance(extent, int) or any(not isinstance(d, int) or d < 0 for d in flat(layout.stride)):
        return 0
    return extent


def is_contiguous(layout: Any) -> bool:
    """The elements are neighbours in memory, in order."""
    if not isinstance(layout, fl.Layout):
        return False
    return _is_contiguous(layout) if layout.is_plain else _is_contiguous.__wrapped__(layout)


@lru_cache(maxsize=1024)
def _is_contiguous(layout: fl.Layout) -> bool:
    plain = fl.coalesce(layout)
    return plain.shape == 1 or (isinstance(plain.shape, int) and plain.stride == 1)
