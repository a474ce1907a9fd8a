"""What the result of each operation must do, on static layouts: an oracle that shares no code with them."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from layout_strategies import extents, oracle

import flydsl.layout as fl
from flydsl.layout import IntTuple, Layout, Tile


def points(layout: Layout) -> set[int]:
    """The indexes that a layout reaches."""
    return set(oracle(layout))


def index_of(coord: IntTuple, shape: IntTuple, stride: IntTuple) -> int:
    """The index of a coordinate of a layout's own structure, without the algebra."""
    if isinstance(coord, tuple):
        return sum(map(index_of, coord, shape, stride))
    return coord * stride


def inside(coord: IntTuple, shape: IntTuple) -> bool:
    """Every part of a coordinate is below its extent."""
    if isinstance(shape, tuple):
        return isinstance(coord, tuple) and len(coord) == len(shape) and all(map(inside, coord, shape))
    return 0 <= coord < shape


def is_coalesced(result: Layout, layout: Layout) -> bool:
    return oracle(result) == oracle(layout)


def is_composition(result: Layout, a: Layout, b: Layout) -> bool:
    return [result(i) for i in range(fl.size(b))] == [a(index) for index in oracle(b)]


def is_complement(result: Layout, layout: Layout, codomain: int | None = None) -> bool:
    """Copies of the layout at the complement's offsets do not meet, and they are as many as fit."""
    if codomain == 0:
        return fl.size(result) == 0
    ours, offsets = points(layout), oracle(result)
    return bool(offsets) and len({a + b for a in ours for b in offsets}) == len(ours) * len(offsets)


def is_right_inverse(result: Layout, layout: Layout) -> bool:
    return all(layout(source) == index for index, source in enumerate(oracle(result)))


def is_left_inverse(result: Layout, layout: Layout) -> bool:
    return all(layout(result(index)) == index and result(index) < fl.size(layout) for index in oracle(layout))


def is_division(result: Layout, layout: Layout, tiler: Layout | Tile) -> bool:
    """No element of the layout is lost, and none gets two places when the tiler divides."""
    found = oracle(result)
    return points(layout) <= set(found) and (len(found) != fl.size(layout) or sorted(found) == sorted(oracle(layout)))


def is_product(result: Layout, block: Layout, tiler: Layout) -> bool:
    """The block itself and one copy for each index of the tiler, which do not meet."""
    found, ours, copies = oracle(result), points(block), points(tiler)
    complete = len(found) == fl.size(block) * fl.size(tiler) and ours <= set(found)
    return complete and len(set(found)) == len(ours) * len(copies)


def covers_shape(result: Layout, block: Layout, shape: tuple[int, ...], order: tuple[int, ...]) -> bool:
    """As many copies of the block, which do not meet, as each extent takes."""
    found = oracle(result)
    copies = prod(-(-extent // fl.size(mode)) for extent, mode in zip(shape, block, strict=True))
    return len(found) == copies * fl.size(block) and len(set(found)) == copies * len(points(block))


def is_recast(result: Layout, layout: Layout, old: int, new: int) -> bool:
    """Both address the same bits, each element's own, as often."""
    ours = [index * old + bit for index in oracle(layout) for bit in range(old)]
    theirs = [index * new + bit for index in oracle(result) for bit in range(new)]
    return sorted(ours) == sorted(theirs)


def is_fragment(result: Layout, layout: Layout) -> bool:
    """A register for every element and no more; behind mode 0 they grow as the strides of the layout do."""
    if sorted(oracle(result)) != list(range(fl.size(layout))) or fl.cosize(result) != fl.size(layout):
        return False
    modes = list(zip(extents(layout.shape), extents(layout.stride), extents(result.stride), strict=True))
    behind = [(d, ours) for s, d, ours in modes[len(extents(layout[0].shape)) :] if s > 1]
    return layout.rank == 1 or all(a[1] < b[1] for a in behind for b in behind if a[0] < b[0])


def is_coordinate(coord: IntTuple, layout: Layout, index: int) -> bool:
    return inside(coord, layout.shape) and index_of(coord, layout.shape, layout.stride) == index


def is_coordinate_or_quotients(coord: IntTuple, layout: Layout, index: int) -> bool:
    """A coordinate of the index where there is one, (index / stride) % extent of each mode elsewhere."""
    if index in points(layout):
        return is_coordinate(coord, layout, index)
    return coord == quotients(layout.shape, layout.stride, index)


def quotients(shape: IntTuple, stride: IntTuple, index: int) -> IntTuple:
    if isinstance(shape, tuple):
        return tuple(quotients(s, d, index) for s, d in zip(shape, stride, strict=True))
    return index // stride % shape if shape != 1 else 0


POSTCONDITIONS: dict[str, Callable[..., bool]] = {
    "coalesce": is_coalesced,
    "composition": is_composition,
    "complement": is_complement,
    "right_inverse": is_right_inverse,
    "left_inverse": is_left_inverse,
    "recast_layout": is_recast,
    "make_fragment_layout_like": is_fragment,
    "idx2crd": is_coordinate_or_quotients,
    "tile_to_shape": covers_shape,
    **dict.fromkeys([f"{name}_divide" for name in ("logical", "zipped", "tiled", "flat")], is_division),
    **dict.fromkeys(
        [f"{name}_product" for name in ("logical", "zipped", "tiled", "flat", "blocked", "raked")], is_product
    ),
}
"""`condition(result, *arguments)` of each operation that promises more than its definition."""
