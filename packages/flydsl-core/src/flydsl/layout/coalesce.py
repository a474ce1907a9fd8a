"""Coalescing: the layout with fewest modes that is the same function."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout.int_tuple import IntTuple, checked, flat
from flydsl.layout.layout import L, Layout, on_outer, unchecked
from flydsl.layout.leaf import Basis, Leaf
from flydsl.layout.operation import operation


def merged_modes(flat_shape: list[Leaf], flat_stride: list[Leaf]) -> tuple[list[Leaf], list[Leaf]]:
    """The shapes and strides left after dropping size-1 modes and merging contiguous ones; at least one mode."""
    shapes: list[Leaf] = []
    strides: list[Leaf] = []
    for s, d in zip(flat_shape, flat_stride, strict=True):
        if s == 1:
            continue
        if shapes and type(s) is int and type(before := shapes[-1]) is int and _follows(before, strides[-1], d):
            shapes[-1] = before * s
        else:
            shapes.append(s)
            strides.append(d)
    return (shapes, strides) if shapes else ([1], [0])


def merged_past_end(shape: IntTuple, stride: IntTuple) -> tuple[list[Leaf], list[Leaf]]:
    """`merged_modes` in which a last mode of size 1 counts as size 2, so that its stride goes on past the end."""
    flat_shape = flat(shape)
    if flat_shape[-1] == 1:
        flat_shape[-1] = 2
    return merged_modes(flat_shape, flat(stride))


def _follows(extent: int, stride: Leaf, following: Leaf) -> bool:
    """A mode of stride `following` goes on where one of `extent` and `stride` ends; decided only on static leaves."""
    if type(stride) is int:
        return extent * stride == following
    if not isinstance(stride, Basis) or not isinstance(following, Basis) or stride.path != following.path:
        return False
    return type(stride.value) is int and extent * stride.value == following.value


def pack(shapes: list[Leaf], strides: list[Leaf]) -> Layout:
    """One mode as a leaf, several as a tuple."""
    return unchecked(shapes[0], strides[0]) if len(shapes) == 1 else unchecked(tuple(shapes), tuple(strides))


def coalesced(layout: Layout) -> Layout:
    """`coalesce` without a pattern, of a plain layout."""
    return pack(*merged_modes(flat(layout.shape), flat(layout.stride)))


@operation
def coalesce(layout: L, pattern: object = None) -> L:
    """The same function with fewest modes; with a pattern, mode by mode down to the pattern's leaves."""
    if pattern is None:
        return on_outer("coalesce", layout, coalesced)
    profile = checked("coalesce", pattern, "pattern", star=True)
    return on_outer("coalesce", layout, lambda plain: unchecked(*_by_pattern(plain.shape, plain.stride, profile)))


def _by_pattern(shape: IntTuple, stride: IntTuple, pattern: IntTuple) -> tuple[IntTuple, IntTuple]:
    if not isinstance(pattern, tuple):
        merged = pack(*merged_modes(flat(shape), flat(stride)))
        return merged.shape, merged.stride
    if not isinstance(shape, tuple) or not isinstance(stride, tuple) or len(pattern) > len(shape):
        raise LayoutError("coalesce", (shape, stride, pattern), "the pattern must not have more modes than the layout")
    done = [_by_pattern(s, d, p) for s, d, p in zip(shape, stride, pattern, strict=False)]
    rest = len(pattern)
    return (*(s for s, _ in done), *shape[rest:]), (*(d for _, d in done), *stride[rest:])


def canonical(shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple]:
    """Size-1 leaves get stride 0 and tuples of one are unwrapped, at every level."""
    if not isinstance(shape, tuple) or not isinstance(stride, tuple):
        return (1, 0) if shape == 1 else (shape, stride)
    if len(shape) == 1:
        return canonical(shape[0], stride[0])
    done = [canonical(s, d) for s, d in zip(shape, stride, strict=True)]
    return tuple([s for s, _ in done]), tuple([d for _, d in done])
