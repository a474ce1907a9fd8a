"""Complements and inverses of layouts."""

from __future__ import annotations

from operator import itemgetter

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.coalesce import merged_modes, pack
from flydsl.layout.int_tuple import checked, flat, product
from flydsl.layout.layout import Layout, check_layout
from flydsl.layout.leaf import Basis, Leaf
from flydsl.layout.operation import operation
from flydsl.layout.query import cosize


@operation
def complement(layout: Layout, codomain_size: object = None) -> Layout:
    """The layout of the offsets below `codomain_size` (default: cosize) at which copies of `layout` do not overlap."""
    check_layout("complement", layout)
    size = cosize(layout) if codomain_size is None else checked("complement", codomain_size, "codomain size")
    return complemented(layout, product(size))


def complemented(layout: Layout, size: Leaf, *, exact: bool = False) -> Layout:
    """`complement` of a plain layout in a codomain of `size`; `exact`: the copies must also leave nothing out."""
    if isinstance(size, Basis) or (type(size) is int and size < 0):
        raise LayoutError("complement", (layout, size), "the codomain size must be an integer >= 0")
    shapes: list[Leaf] = []
    strides: list[Leaf] = []
    last: Leaf = 1
    for s, d in by_stride(layout):
        gap = leaf.div(d, last)
        if gap == 0:
            raise LayoutError("complement", (layout, size), f"the layout is not injective: modes overlap at stride {d}")
        if exact and type(d) is int and type(last) is int and d % last:
            condition = f"copies cannot fill the codomain: the stride {d} is no multiple of {last}, where copies follow"
            raise LayoutError("complement", (layout, size), condition)
        shapes.append(gap)
        strides.append(last)
        last = leaf.mul(d, s)
    shapes.append(leaf.ceil_div(size, last))
    strides.append(last)
    return pack(*merged_modes(shapes, strides))


def by_stride(layout: Layout) -> list[tuple[Leaf, Leaf]]:
    """The merged modes without those of stride 0, by stride; several strides must be static to be put in order."""
    shapes, strides = flat(layout.shape), flat(layout.stride)
    if 0 in strides:
        shapes = [1 if d == 0 else s for s, d in zip(shapes, strides, strict=True)]
    if len(shapes) > 1:
        shapes, strides = merged_modes(shapes, strides)
    if shapes[0] == 1:
        return []
    if len(strides) > 1 and {*map(type, strides)} != {int}:
        raise LayoutError("complement", (layout,), "the order of the modes is unknown: the strides must be static")
    modes = list(zip(shapes, strides, strict=True))
    modes.sort(key=itemgetter(1))
    least = modes[0][1]
    if isinstance(least, Basis) or (type(least) is int and least < 0):
        raise LayoutError("complement", (layout,), "the strides must be integers >= 0")
    return modes


@operation
def right_inverse(layout: Layout) -> Layout:
    """R with layout(R(i)) = i for every i < size(R), as large as the contiguous part from index 0 allows."""
    check_layout("right_inverse", layout)
    shapes: list[Leaf] = []
    strides: list[Leaf] = []
    reached = 1
    for s, d, before in _static_modes("right_inverse", layout):
        if d == reached and type(s) is int:
            shapes.append(s)
            strides.append(before)
            reached *= s
    return pack(*merged_modes(shapes or [1], strides or [0]))


@operation
def left_inverse(layout: Layout) -> Layout:
    """R with layout(R(layout(i))) = layout(i): R(layout(i)) = i up to modes of stride 0, which it sends to 0."""
    check_layout("left_inverse", layout)
    shapes: list[Leaf] = []
    strides: list[Leaf] = []
    extent: Leaf = 1
    before: Leaf = 0
    step = 1
    for s, d, prefix in _static_modes("left_inverse", layout):
        if d == 0:
            continue
        if type(extent) is int and (d % step or d < step * extent):
            condition = f"the layout is not injective, or stride {d} is no multiple of stride {step}"
            raise LayoutError("left_inverse", (layout,), condition)
        shapes.append(d // step)
        strides.append(before)
        extent, step, before = s, d, prefix
    return pack(*merged_modes([*shapes, extent], [*strides, before]))


def _static_modes(op: str, layout: Layout) -> list[tuple[Leaf, int, Leaf]]:
    """(shape, stride, product of the shapes before) of the modes with static strides, by stride."""
    shapes, strides = merged_modes(flat(layout.shape), flat(layout.stride))
    modes = []
    before: Leaf = 1
    for s, d in zip(shapes, strides, strict=True):
        if type(d) is int:
            modes.append((s, d, before))
        before = leaf.mul(before, s)
    return sorted(modes, key=lambda mode: mode[1])
