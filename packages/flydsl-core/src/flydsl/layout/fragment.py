"""Layouts of the registers that hold a thread's part of a tensor."""

from __future__ import annotations

from flydsl.layout.coalesce import canonical
from flydsl.layout.int_tuple import IntTuple, compact, flat, unflatten
from flydsl.layout.layout import AnyLayout, Layout, joined, unchecked
from flydsl.layout.make import ordered_strides, outer_layout
from flydsl.layout.operation import operation
from flydsl.layout.product import tiled_product


@operation
def make_fragment_layout_like(layout: AnyLayout) -> Layout:
    """The layout of registers for a thread's part: mode 0 compact in front, the rest in the order of their strides.

    Every element gets an offset of its own, those of modes of stride 0 too: a fragment is written to.
    """
    plain = outer_layout("make_fragment_layout_like", layout)
    if plain.rank == 1:
        return unchecked(plain.shape, compact(plain.shape))
    first, *others = plain
    rest = joined(others)
    tail = unchecked(*canonical(rest.shape, ordered_strides(rest.shape, _distinct_zeros(rest.stride))))
    return tiled_product(unchecked(first.shape, compact(first.shape)), tail)


def _distinct_zeros(stride: IntTuple) -> IntTuple:
    """Strides as an order in which the zeros are ranked by position, before all others."""
    leaves = flat(stride)
    count = len(leaves)
    return unflatten(iter([number - count if d == 0 else d for number, d in enumerate(leaves)]), stride)
