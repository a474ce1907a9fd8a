"""Layouts of the registers that hold a thread's part of a tensor."""

from __future__ import annotations

from flydsl.layout.coalesce import canonical
from flydsl.layout.int_tuple import IntTuple, compact, flat, unflatten
from flydsl.layout.layout import AnyLayout, Layout, joined, unchecked
from flydsl.layout.leaf import Leaf
from flydsl.layout.make import ordered_strides, outer_layout
from flydsl.layout.operation import operation
from flydsl.layout.product import tiled_product


@operation
def make_fragment_layout_like(layout: AnyLayout) -> Layout:
    """The layout of registers for a thread's part: mode 0 compact in front, the rest in the order of their strides.

    Every element gets a register of its own, those of modes of stride 0 and of equal strides too: a fragment is
    written to.
    """
    plain = outer_layout("make_fragment_layout_like", layout)
    if plain.rank == 1:
        return unchecked(plain.shape, compact(plain.shape))
    first, *others = plain
    rest = joined(others)
    tail = unchecked(*canonical(rest.shape, ordered_strides(rest.shape, _ranks(rest.stride))))
    return tiled_product(unchecked(first.shape, compact(first.shape)), tail)


def _ranks(stride: IntTuple) -> IntTuple:
    """Strides as an order without ties: the zeros first, equal ones by position, those that are not integers last."""
    leaves = flat(stride)
    ranks = sorted(range(len(leaves)), key=lambda number: _key(leaves[number]))
    return unflatten(iter([ranks.index(number) for number in range(len(leaves))]), stride)


def _key(stride: Leaf) -> tuple[bool, int]:
    return (False, stride) if type(stride) is int else (True, 0)
