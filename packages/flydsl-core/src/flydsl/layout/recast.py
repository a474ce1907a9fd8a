"""The layout of the same storage after a change of the element's width."""

from __future__ import annotations

from math import gcd

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.int_tuple import IntTuple
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, check_layout, unchecked
from flydsl.layout.leaf import Basis, Dyn, Leaf
from flydsl.layout.operation import operation

__all__ = ["downcast", "recast_layout", "upcast"]


@operation
def recast_layout(layout: AnyLayout, old_type_bits: int, new_type_bits: int) -> AnyLayout:
    """`layout` of elements of `old_type_bits`, counted in elements of `new_type_bits`."""
    for bits in (old_type_bits, new_type_bits):
        if type(bits) is not int or bits < 1:
            raise LayoutError("recast_layout", (layout, old_type_bits, new_type_bits), "bit widths are integers > 0")
    common = gcd(old_type_bits, new_type_bits)
    check_layout("recast_layout", layout)
    return downcast(upcast(layout, new_type_bits // common), old_type_bits // common)


def upcast(layout: Layout, factor: int) -> Layout:
    """Elements `factor` times as wide."""
    return layout if factor == 1 else unchecked(*_map(_upcast, layout.shape, layout.stride, factor))


def downcast(layout: Layout, factor: int) -> Layout:
    """Elements split in `factor`; the mode of stride 1 takes the parts."""
    return layout if factor == 1 else unchecked(*_map(_downcast, layout.shape, layout.stride, factor))


def _map(function, shape: IntTuple, stride: IntTuple, factor: int) -> tuple[IntTuple, IntTuple]:
    if isinstance(shape, tuple) and isinstance(stride, tuple):
        done = [_map(function, s, d, factor) for s, d in zip(shape, stride, strict=True)]
        return tuple([s for s, _ in done]), tuple([d for _, d in done])
    return function(shape, stride, factor)


def _upcast(shape: Leaf, stride: Leaf, factor: int) -> tuple[Leaf, Leaf]:
    if isinstance(stride, Dyn):
        if stride.div % factor:
            raise LayoutError("recast_layout", (stride, factor), f"the stride is not known to be divisible by {factor}")
        return shape, leaf.exact_div(stride, factor)
    if isinstance(stride, Basis):
        raise LayoutError("recast_layout", (stride, factor), "a coordinate has no element width")
    if stride == 0:
        return shape, stride
    step = abs(stride)
    if step % factor and factor % step:
        raise LayoutError("recast_layout", (stride, factor), "of the stride and the ratio of widths one must divide the other")
    return leaf.ceil_div(shape, -(-factor // step)), -(-step // factor) * (1 if stride > 0 else -1)


def _downcast(shape: Leaf, stride: Leaf, factor: int) -> tuple[Leaf, Leaf]:
    return (leaf.mul(shape, factor), stride) if stride == 1 else (shape, leaf.mul(stride, factor))
