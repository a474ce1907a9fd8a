"""The layout of the same storage after a change of the element's width."""

from __future__ import annotations

from collections.abc import Callable
from math import gcd
from typing import TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.int_tuple import IntTuple, flat, map_leaves
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
    return downcast(upcast(check_layout("recast_layout", layout), wider), narrower)


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
    """Elements `factor` times as wide."""
    return _recast(layout, _upcast, factor)


def downcast(layout: Layout, factor: int) -> Layout:
    """Elements split in `factor`; the mode of stride 1 takes the parts."""
    return _recast(layout, _downcast, factor)


def _recast(layout: Layout, step: _Step, factor: int) -> Layout:
    if factor == 1:
        return layout
    if any(isinstance(stride, Basis) for stride in flat(layout.stride)):
        raise LayoutError("recast_layout", (layout,), "a coordinate has no element width")
    return unchecked(*_map(step, layout.shape, layout.stride, factor))


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
    if step % factor and factor % step:
        raise LayoutError("recast_layout", (stride, factor), "neither of stride and ratio of widths divides the other")
    return leaf.ceil_div(shape, -(-factor // step)), -(-step // factor) * (1 if stride > 0 else -1)


def _downcast(shape: Leaf, stride: Leaf, factor: int) -> tuple[Leaf, Leaf]:
    return (leaf.mul(shape, factor), stride) if stride == 1 else (shape, leaf.mul(stride, factor))
