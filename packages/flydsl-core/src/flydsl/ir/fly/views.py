"""Tensor operations on layout values: slices, partitions and fragments as (offset from the iterator, layout).

Type inference calls these with layouts of types, lowering with layouts whose dynamic leaves are emitted values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import LayoutError
from flydsl.ir.fly.attributes import MmaOperand
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CoordTensorType, MemRefType, MmaAtomType, TiledCopyType, TiledMmaType
from flydsl.layout.int_tuple import flat
from flydsl.layout.modes import zero_stars
from flydsl.layout.tiled import retile, tiled_copy_partition
from flydsl.layout.tiled_mma import (
    is_mma_partition,
    mma_fragment_layout,
    tiled_mma_partition,
    tiled_mma_partition_shape,
    tiled_mma_thr_coord,
)

Layout = fl.Layout | fl.ComposedLayout


def sliced(layout: Layout, coord: fl.IntTuple) -> tuple[fl.IntTuple, Layout]:
    """The open modes of a coordinate: the index it points to, with 0 for each `*`, and the layout of what is left.

    A composed layout keeps the index in its offset, since its inner part does not commute with moving the iterator.
    """
    if isinstance(layout, fl.ComposedLayout):
        return 0, fl.slice_(layout, coord)
    return fl.crd2idx(zero_stars(coord), layout), fl.slice_(layout, coord)


def fragment_layout(layout: Layout) -> fl.Layout:
    """The layout of registers for a tensor of this layout; coordinates, whose strides have no order, are compact."""
    if any(isinstance(stride, fl.Basis) for stride in flat(layout.stride)):
        layout = fl.Layout(layout.shape)
    return fl.make_fragment_layout_like(layout)


def decomposed(layout: Layout, tensor: MemRefType | CoordTensorType) -> tuple[fl.IntTuple, Layout, fl.Swizzle | None]:
    """The layout of a tensor as (offset of the iterator, plain layout, swizzle of the byte address).

    The plain layout is the rightmost one, unchanged; the iterator moves to where the whole layout has its first
    element. A single swizzle goes onto the pointer, counting bytes: that is the same tensor. Under other inner parts
    (plain layouts, several swizzles) it is only if these keep the differences between the indices: `is_decomposable`
    tells.
    """
    if not isinstance(layout, fl.ComposedLayout):
        return 0, layout, None
    if is_decomposable(layout) and isinstance(tensor, MemRefType) and tensor.swizzle is None:
        return layout.offset, layout.outer, _byte_swizzle(layout, tensor)
    if isinstance(layout.inner, fl.Swizzle) and isinstance(layout.outer, fl.Layout):
        raise LayoutError("decomposition", (tensor,), "a swizzle goes onto a pointer that has none yet")
    return _first(layout), _rightmost(layout), None


def is_decomposable(layout: Layout) -> bool:
    """Whether `decomposed` gives the same elements for every index."""
    if isinstance(layout, fl.Layout):
        return True
    return isinstance(layout.inner, fl.Swizzle) and isinstance(layout.outer, fl.Layout)


def _byte_swizzle(layout: fl.ComposedLayout, tensor: MemRefType) -> fl.Swizzle:
    swizzle = layout.inner
    assert isinstance(swizzle, fl.Swizzle)
    bits = element_bits(tensor.element)
    base = swizzle.base + bits.bit_length() - 1 - 3
    if bits & (bits - 1) or base < 0:
        raise LayoutError(
            "decomposition", (tensor,), f"{swizzle} of elements of {bits} bits does not count whole bytes"
        )
    return fl.Swizzle(swizzle.mask, base, swizzle.shift)


def _first(layout: Layout) -> fl.IntTuple:
    """The value for index 0 of the rightmost layout."""
    if isinstance(layout, fl.Layout):
        return layout(0)
    inner: Callable[[fl.IntTuple], fl.IntTuple] = layout.inner  # type: ignore[assignment]  # swizzles take one leaf
    return inner(fl.int_tuple_add(layout.offset, _first(layout.outer)))


def _rightmost(layout: Layout) -> fl.Layout:
    while isinstance(layout, fl.ComposedLayout):
        layout = layout.outer
    return layout


def copy_partitioned(
    tiled: TiledCopyType, layout: Layout, thread: fl.IntTuple, which: Literal["src", "dst"]
) -> tuple[fl.IntTuple, Layout]:
    """What one thread reads ('src') or writes ('dst'): the offset, and ((value, rest of values), rest...)."""
    view = tiled_copy_partition(tiled.atom.tv, tiled.layout_tv.value, tiled.tile.value, layout, which)
    return sliced(view, (thread, *(fl.STAR,) * (view.rank - 1)))


def copy_retiled(tiled: TiledCopyType, layout: Layout) -> Layout:
    """A fragment (V, rest...) of another partitioning as ((value, rest of values), rest...) of this copy."""
    return retile(tiled.atom.tv, tiled.layout_tv.value, tiled.tile.value, layout)


def mma_partitioned(
    operand: MmaOperand, tiled: TiledMmaType, layout: Layout, thread: fl.IntTuple
) -> tuple[fl.IntTuple, Layout]:
    """What one thread holds of an operand: the offset, and (value, rest...)."""
    atom, atom_layout = tiled.atom.tv, tiled.atom_layout.value
    view = tiled_mma_partition(atom, atom_layout, _permutation(tiled), operand.value, layout)
    coord = tiled_mma_thr_coord(atom, atom_layout, _single(thread), operand.value)
    offset, values = sliced(view, (coord, fl.STAR))
    return offset, _unpacked(values)


def mma_partition_shape(operand: MmaOperand, tiled: TiledMmaType, shape: fl.IntTuple) -> fl.IntTuple:
    """The shape of what `mma_partitioned` gives."""
    atom = tiled.atom.tv
    return tiled_mma_partition_shape(atom, tiled.atom_layout.value, _permutation(tiled), operand.value, shape)


def mma_fragment(operand: MmaOperand, tiled: TiledMmaType, layout: Layout, stages: int | None) -> fl.Layout:
    """Registers for thread 0's part of a tile of an operand: (value, rest0, rest1, further modes of the tile...).

    With `stages`, one mode of that extent takes the place of the further modes. A part is taken as it is.
    """
    arrangement = tiled.atom.tv, tiled.atom_layout.value, _permutation(tiled)
    if not is_mma_partition(*arrangement, operand.value, layout):
        tile = fl.take(layout, 0, 2) if stages is not None and layout.rank > 2 else layout
        layout = mma_partitioned(operand, tiled, tile, 0)[1]
    return mma_fragment_layout(layout, stages)


def wrong_element(atom: MmaAtomType | TiledMmaType, elements: Sequence[Attribute]) -> tuple[int, Attribute] | None:
    """The first of `elements`, those of d, a, b and c, that the atom does not take, as its place and what it takes."""
    a, b, acc, result = (atom.atom if isinstance(atom, TiledMmaType) else atom).op.value_types
    expected = (result, a, b, acc)
    pairs = enumerate(zip(expected, elements, strict=True))
    return next(((place, want) for place, (want, found) in pairs if want != found), None)


def _permutation(tiled: TiledMmaType) -> fl.Tile | None:
    return tiled.perm.value if tiled.perm is not None else None


def _single(thread: fl.IntTuple) -> int | fl.Dyn:
    while isinstance(thread, tuple) and len(thread) == 1:
        thread = thread[0]
    if isinstance(thread, int | fl.Dyn):
        return thread
    raise LayoutError("tiled_mma_partition", (thread,), "a thread is one number")


def _unpacked(values: Layout) -> Layout:
    """(value, (rest...)) as (value, rest...)."""
    if isinstance(values, fl.ComposedLayout):
        return fl.ComposedLayout(values.inner, values.offset, _unpacked(values.outer))
    fragment, rest = values
    modes = [fragment, *rest]
    return fl.Layout(tuple(mode.shape for mode in modes), tuple(mode.stride for mode in modes))
