"""The layout of the same storage after a change of the element's width."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from operator import itemgetter
from typing import TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.int_tuple import IntTuple, flat, map_leaves, unflatten
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, check_layout, unchecked
from flydsl.layout.leaf import Basis, Dyn, Leaf
from flydsl.layout.operation import operation
from flydsl.layout.swizzle import Swizzle

_Step: TypeAlias = Callable[[Leaf, Leaf, int], tuple[Leaf, Leaf]]


@operation
def recast_layout(layout: AnyLayout, old_type_bits: int, new_type_bits: int) -> AnyLayout:
    """`layout` of elements of `old_type_bits`, counted in elements of `new_type_bits`."""
    for bits in (old_type_bits, new_type_bits):
        if type(bits) is not int or bits < 1:
            raise LayoutError("recast_layout", (layout, old_type_bits, new_type_bits), "bit widths are integers > 0")
    common = gcd(old_type_bits, new_type_bits)
    wider, narrower = new_type_bits // common, old_type_bits // common
    if isinstance(layout, ComposedLayout):
        return _composed(layout, wider, narrower)
    plain = check_layout("recast_layout", layout)
    for factor, condition, step in ((wider, _unmerged, upcast), (narrower, _unsplit, downcast)):
        if factor > 1 and (reason := condition(_refuse_coordinates(plain), factor)):
            raise LayoutError("recast_layout", (layout, old_type_bits, new_type_bits), reason)
        plain = step(plain, factor)
    return plain


def _unmerged(layout: Layout, factor: int) -> str:
    """Why the elements do not make whole ones `factor` times as wide; nothing when they do.

    The modes of strides below the factor must run through each wide element from end to end, without overlap.
    """
    shapes, strides = flat(layout.shape), flat(layout.stride)
    if 0 in shapes:
        return ""
    narrow = [(d, s) for s, d in zip(shapes, strides, strict=True) if s != 1 and type(d) is int and abs(d) < factor]
    reached = 1
    for d, s in sorted([mode for mode in narrow if mode[0]], key=itemgetter(0)):
        run = factor // reached
        if d != reached or factor % reached or (type(s) is int and s % run and run % s):
            return f"neighbours at stride {d} do not make whole elements of {factor}"
        reached *= min(s, run) if type(s) is int else run
    return "" if reached == factor else f"no mode runs through elements of {factor}: each would be used in part"


def _unsplit(layout: Layout, factor: int) -> str:
    """Why no mode can take the parts of elements split in `factor`; nothing when one can."""
    modes = zip(flat(layout.shape), flat(layout.stride), strict=True)
    ones = [mode for mode in modes if mode[0] == 1 or mode[1] == 1]
    return "" if ones or 0 in flat(layout.shape) else f"no mode of stride 1 can take the {factor} parts of each element"


def _composed(layout: ComposedLayout, wider: int, narrower: int) -> ComposedLayout:
    if not isinstance(layout.inner, Swizzle) or (wider & (wider - 1)) or (narrower & (narrower - 1)):
        raise LayoutError("recast_layout", (layout,), "only swizzled layouts are recast, by powers of two")
    mask, base, shift = layout.inner.mask, layout.inner.base, layout.inner.shift
    base += narrower.bit_length() - wider.bit_length()
    if base < 0:
        raise LayoutError("recast_layout", (layout,), "the swizzle would cut into elements")
    offset = map_leaves(lambda part: leaf.mul(_divided(part, wider), narrower), layout.offset)
    outer = recast_layout(layout.outer, narrower, wider)
    return ComposedLayout(Swizzle(mask, base, shift), offset, outer)


def _divided(offset: Leaf, factor: int) -> Leaf:
    known = offset.div if isinstance(offset, Dyn) else offset
    if not isinstance(known, int) or known % factor:
        raise LayoutError("recast_layout", (offset, factor), f"the offset is not known to be divisible by {factor}")
    return leaf.exact_div(offset, factor)


def upcast(layout: Layout, factor: int) -> Layout:
    """Elements `factor` times as wide, each one that has an element of the layout in it."""
    return unchecked(*_map(_upcast, layout.shape, layout.stride, factor)) if factor > 1 else layout


def downcast(layout: Layout, factor: int) -> Layout:
    """Elements split in `factor`: the first mode of stride 1, or else one of a single element, takes the parts."""
    if factor == 1:
        return layout
    shapes, strides = flat(layout.shape), flat(layout.stride)
    modes = list(zip(shapes, strides, strict=True))
    parts = [number for number, (s, d) in enumerate(modes) if d == 1 and s != 1]
    parts += [number for number, (s, d) in enumerate(modes) if s == 1]
    strides = [leaf.mul(d, factor) for d in strides]
    if parts:
        shapes[parts[0]], strides[parts[0]] = leaf.mul(shapes[parts[0]], factor), 1
    return unchecked(unflatten(iter(shapes), layout.shape), unflatten(iter(strides), layout.shape))


def _refuse_coordinates(layout: Layout) -> Layout:
    if any(isinstance(stride, Basis) for stride in flat(layout.stride)):
        raise LayoutError("recast_layout", (layout,), "a coordinate has no element width")
    return layout


def _map(function: _Step, shape: IntTuple, stride: IntTuple, factor: int) -> tuple[IntTuple, IntTuple]:
    if isinstance(shape, tuple) and isinstance(stride, tuple):
        done = [_map(function, s, d, factor) for s, d in zip(shape, stride, strict=True)]
        return tuple([s for s, _ in done]), tuple([d for _, d in done])
    return function(shape, stride, factor)  # type: ignore[arg-type]


def _upcast(shape: Leaf, stride: Leaf, factor: int) -> tuple[Leaf, Leaf]:
    if isinstance(stride, Dyn):
        if stride.div % factor:
            raise LayoutError("recast_layout", (stride, factor), f"the stride is not known to be divisible by {factor}")
        return shape, leaf.exact_div(stride, factor)
    if type(stride) is not int or stride == 0:
        return shape, stride
    step = abs(stride)
    if shape != 1 and step % factor and factor % step:
        raise LayoutError("recast_layout", (stride, factor), "neither of stride and ratio of widths divides the other")
    return leaf.ceil_div(shape, -(-factor // step)), -(-step // factor) * (1 if stride > 0 else -1)
