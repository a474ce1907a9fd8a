"""Products: the layout that repeats a block as a tiler says, in six groupings."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.coalesce import canonical, merged_modes, pack
from flydsl.layout.compose import as_tiler, composed
from flydsl.layout.int_tuple import IntTuple, checked_shape, product
from flydsl.layout.inverse import by_stride, complemented
from flydsl.layout.layout import L, Layout, Tile, joined, on_outer, unchecked
from flydsl.layout.leaf import Leaf
from flydsl.layout.make import make_ordered_layout
from flydsl.layout.operation import operation
from flydsl.layout.query import cosize

_Product: TypeAlias = Callable[[str, Layout, Layout], Layout]


@operation
def logical_product(block: L, tiler: Layout | int) -> L:
    """(block, repetition): a copy of the block at each index of the tiler, in the block's complement."""
    return _apply("logical_product", _logical, block, tiler)


@operation
def zipped_product(block: L, tiler: Layout | int) -> L:
    """((block modes), (repetition modes))."""
    return _apply("zipped_product", _logical, block, tiler)


@operation
def tiled_product(block: L, tiler: Layout | int) -> L:
    """((block modes), repetition, repetition, ...)."""
    return _apply("tiled_product", _tiled, block, tiler)


@operation
def flat_product(block: L, tiler: Layout | int) -> L:
    """(block, block, ..., repetition, repetition, ...)."""
    return _apply("flat_product", _flat, block, tiler)


@operation
def blocked_product(block: L, tiler: Layout | int) -> L:
    """((block, repetition), ...) mode by mode: neighbours stay inside a block."""
    return _apply("blocked_product", _blocked, block, tiler)


@operation
def raked_product(block: L, tiler: Layout | int) -> L:
    """((repetition, block), ...) mode by mode: neighbours belong to different blocks."""
    return _apply("raked_product", _raked, block, tiler)


def _apply(op: str, function: _Product, block: L, tiler: Layout | int) -> L:
    repetition = as_tiler(op, tiler)
    if isinstance(repetition, Tile):
        raise LayoutError(op, (block, tiler), "the tiler of a product is a layout")
    return on_outer(op, block, lambda plain: function(op, plain, repetition))


def _logical(op: str, block: Layout, tiler: Layout) -> Layout:
    repetition = composed(_room(op, block, cosize(tiler)), tiler)
    return joined([unchecked(*canonical(block.shape, block.stride)), repetition])


def _room(op: str, block: Layout, copies: Leaf) -> Layout:
    """The offsets of the first `copies` copies of the block: its complement, as far as they need it.

    The last mode may overlap those before, in multiples of the stride below, when its gap takes all copies. Where the
    complement leaves offsets out, the copies may need more of it than their elements would fill.
    """
    modes = by_stride(block)
    if any(type(s) is int and s == 0 for s, _ in modes):
        raise LayoutError(op, (block, copies), "the block is empty")
    elements = leaf.mul(product(block.shape), copies)
    if any(type(s) is not int or type(d) is not int for s, d in modes):
        return complemented(block, elements)
    shapes: list[Leaf] = []
    strides: list[Leaf] = []
    last = room = 1
    for number, (s, d) in enumerate(modes):
        gap = d // last  # type: ignore[operator]
        if not gap:
            fits = type(copies) is int and copies <= room and elements <= d * s  # type: ignore[operator]
            if number + 1 < len(modes) or d % modes[number - 1][1] or not fits:  # type: ignore[operator]
                raise LayoutError(op, (block, copies), f"the copies overlap, as the block does at stride {d}")
            return pack(*merged_modes(shapes, strides))
        shapes.append(gap)
        strides.append(last)
        last, room = d * s, room * gap  # type: ignore[operator]
    needed = leaf.ceil_div(elements, last)
    if last != room * product(block.shape):  # type: ignore[operator]
        needed = leaf.maximum(needed, leaf.ceil_div(copies, room))
    return pack(*merged_modes([*shapes, needed], [*strides, last]))


def _tiled(op: str, block: Layout, tiler: Layout) -> Layout:
    first, second = _logical(op, block, tiler)
    return joined([first, *second])


def _flat(op: str, block: Layout, tiler: Layout) -> Layout:
    first, second = _logical(op, block, tiler)
    return joined([*first, *second])


def _blocked(op: str, block: Layout, tiler: Layout) -> Layout:
    return _zip(op, block, tiler, raked=False)


def _raked(op: str, block: Layout, tiler: Layout) -> Layout:
    return _zip(op, block, tiler, raked=True)


def _zip(op: str, block: Layout, tiler: Layout, *, raked: bool) -> Layout:
    repetition = _logical(op, block, tiler)[1]
    ours = [unchecked(*canonical(mode.shape, mode.stride)) for mode in block]
    theirs = list(repetition) if tiler.rank > 1 else [repetition]
    if raked and len(ours) == 1 and repetition.rank > len(theirs):
        raise LayoutError(op, (block, tiler), f"the repetition {repetition} has more modes than the block")
    ours += [_UNIT] * (len(theirs) - len(ours))
    theirs += [_UNIT] * (len(ours) - len(theirs))
    pairs = [joined([b, a] if raked else [a, b]) for a, b in zip(ours, theirs, strict=True)]
    return joined(pairs) if len(pairs) > 1 else pairs[0]


@operation
def tile_to_shape(block: L, shape: IntTuple, order: IntTuple) -> L:
    """The block repeated until it covers `shape`, the repetitions laid out in the order of the modes."""
    target = checked_shape("tile_to_shape", shape)
    extents = [product(part) for part in target] if isinstance(target, tuple) else [product(target)]
    return on_outer("tile_to_shape", block, lambda plain: _covering(plain, extents, order))


def _covering(block: Layout, extents: list[Leaf], order: IntTuple) -> Layout:
    missing = len(extents) - block.rank
    if missing < 0:
        raise LayoutError("tile_to_shape", (block, extents), "the shape must have at least the modes of the block")
    modes = [*block, *[_UNIT] * missing]
    counts = [leaf.ceil_div(extent, product(mode.shape)) for extent, mode in zip(extents, modes, strict=True)]
    if isinstance(order, tuple) and len(order) == len(counts):
        used = [o for o, count in zip(order, counts, strict=True) if type(o) is int and count != 1]
        if len(set(used)) < len(used):
            raise LayoutError("tile_to_shape", (block, extents, order), "repetitions of equal order would overlap")
    if len(modes) == 1:
        return _blocked("tile_to_shape", modes[0], make_ordered_layout(counts[0], order))
    return _blocked("tile_to_shape", joined(modes), make_ordered_layout(tuple(counts), order))


_UNIT = unchecked(1, 0)
