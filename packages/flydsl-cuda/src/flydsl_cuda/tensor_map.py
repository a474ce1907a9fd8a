"""Boxes that the copy engine (TMA) moves: from the layout of a tile in shared memory and the strides of a tensor.

The engine writes a box of up to five dimensions densely, the contiguous dimension first, and permutes 16-byte pieces of
its rows by a swizzle. So a layout of shared memory is walked in the order of its addresses (its right inverse), each
step as a step of coordinates; as long as steps are of one element, in a dimension that was not met before, they are
one box. What is left repeats the box elsewhere.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from flydsl import layout as fl
from flydsl.base.errors import FlyDSLError

MAX_RANK, MAX_BOX = 5, 256
GRANULE = 16
"""Bytes of the smallest piece that is moved; addresses and strides are multiples of it."""
_RECIPE = struct.Struct("<6I5II")
_TYPES = {
    **{"u8": 0, "u16": 1, "u32": 2, "i32": 3, "u64": 4, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9},
    **{"i8": 0, "i16": 1},
}
_PROMOTE_128_BYTES = 2
_SPANS = {1: 32, 2: 64, 3: 128}
"""Bytes of the rows that each swizzle permutes, by its number of bits."""


class BoxError(FlyDSLError, ValueError):
    """The copy engine cannot move a tile as it is asked to; the message says why."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the runtime is told of a tensor map beside the tensor; `box` has the contiguous dimension first.

    Stores write whole 16 bytes: of a tensor that is `is_written` rows have to be multiples of that.
    """

    element: str
    element_bytes: int
    box: tuple[int, ...]
    swizzle: int = 0
    is_written: bool = False

    def to_bytes(self) -> bytes:
        """As `TensorMapRecipe` of tensor_map.h."""
        box = (*self.box, *[0] * (MAX_RANK - len(self.box)))
        numbers = _TYPES[self.element], self.element_bytes, 0, self.swizzle, _PROMOTE_128_BYTES, 0
        return _RECIPE.pack(*numbers, *box, self.is_written)


@dataclass(frozen=True, slots=True)
class Boxes:
    """How a tile is moved: `order` has the tensor's modes in the order of the map's dimensions, `box` the extents; each
    of `places` is a box: elements from the start of shared memory, and what is added to the coordinate of each mode.
    """

    order: tuple[int, ...]
    box: tuple[int, ...]
    swizzle: int
    places: tuple[tuple[int, tuple[int, ...]], ...]
    tile: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Elements of the tile."""
        return prod(self.tile)


def plan(
    strides: Sequence[int | None], tile: Sequence[int], smem: fl.Layout | fl.ComposedLayout, element_bytes: int
) -> Boxes:
    """The boxes of a tile whose elements lie in shared memory as `smem` says, of a tensor with these strides in
    elements (None: known at run time). BoxError says why there are none.
    """
    rank = len(strides)
    swizzle, plain = _taken_apart(smem, element_bytes)
    full = (*tile, *[1] * (rank - len(tile)))
    if not 1 <= rank <= MAX_RANK or len(full) != rank:
        raise BoxError(f"a tensor map has 1 to {MAX_RANK} dimensions; the tensor has {rank} and the tile {len(tile)}")
    walk = _walk(plain, full)
    if not walk:
        walk = [(1, 0, 1)]
    box, rest = _first_box(walk)
    _check_contiguous(strides, box, element_bytes)
    _check_inner(box, swizzle, element_bytes, smem)
    for mode, stride in enumerate(strides):
        if stride is not None and mode != box[0][1] and stride * element_bytes % GRANULE:
            raise BoxError(
                f"mode {mode} of the tensor has a stride of {stride * element_bytes} bytes, and the copy engine takes "
                f"multiples of {GRANULE}: pad the rows, or copy the tensor"
            )
    order = [mode for _, mode in box]
    order += [mode for mode in range(rank) if mode not in order]
    extents = [extent for extent, _ in box] + [1] * (rank - len(box))
    places = _places(prod(extents), rest, rank)
    return Boxes(tuple(order), tuple(extents), swizzle, places, full)


def _taken_apart(smem: fl.Layout | fl.ComposedLayout, element_bytes: int) -> tuple[int, fl.Layout]:
    """The number of bits of the swizzle, and the layout under it."""
    if isinstance(smem, fl.Layout):
        return 0, smem
    swizzle = smem.inner
    if not isinstance(swizzle, fl.Swizzle) or smem.offset != 0 or not isinstance(smem.outer, fl.Layout):
        raise BoxError(f"shared memory is a layout or a swizzle of one, found {smem}")
    if swizzle.mask == 0:
        return 0, smem.outer
    base = 4 - (element_bytes.bit_length() - 1)
    if swizzle.mask not in _SPANS or (swizzle.base, swizzle.shift) != (base, 3):
        forms = ", ".join(f"S<{mask},{base},3> ({span} bytes)" for mask, span in _SPANS.items())
        raise BoxError(
            f"the swizzles of the copy engine on elements of {element_bytes} bytes are {forms}; found {swizzle}"
        )
    return swizzle.mask, smem.outer


def _walk(smem: fl.Layout, tile: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """The steps of coordinates by ascending address: (count, mode, step)."""
    if not smem.is_static:
        raise BoxError(f"the layout of shared memory is known while compiling, found {smem}")
    extents = [fl.size(mode) for mode in smem] if isinstance(smem.shape, tuple) else [fl.size(smem)]
    if (*extents, *[1] * (len(tile) - len(extents))) != tile:
        raise BoxError(f"the tile {tile} and the layout of shared memory, {smem}, differ in shape")
    try:
        inverse = fl.right_inverse(smem)
        steps = fl.coalesce(fl.composition(fl.make_identity_layout(tile), inverse))
    except FlyDSLError as error:
        raise BoxError(f"the layout of shared memory, {smem}, cannot be walked: {error}") from None
    if fl.size(steps) != prod(tile):
        raise BoxError(
            f"the copy engine writes {tile} without gaps and each element once, and the layout of shared memory, "
            f"{smem}, does not; swizzle it in place of padding"
        )
    counts, strides = fl.flatten(steps.shape), fl.flatten(steps.stride)
    pairs = zip(_tuple(counts), _tuple(strides), strict=True)
    return [_step(count, stride) for count, stride in pairs if count != 1]


def _step(count: int, stride: fl.Leaf) -> tuple[int, int, int]:
    if isinstance(stride, fl.Basis) and len(stride.path) == 1 and isinstance(stride.value, int):
        return count, stride.path[0], stride.value
    raise BoxError(f"a step of shared memory is {stride} in the tensor, which is no step along one of its modes")


def _first_box(
    walk: list[tuple[int, int, int]],
) -> tuple[list[tuple[int, int]], list[tuple[int, int, int]]]:
    """Extents and modes of the box, and the steps that repeat it."""
    box: list[tuple[int, int]] = []
    for index, (count, mode, step) in enumerate(walk):
        if step != 1 or any(mode == other for _, other in box):
            if not box:
                raise BoxError(f"neighbours in shared memory are {step} apart in mode {mode} of the tensor")
            return box, walk[index:]
        if count > MAX_BOX:
            part = next(n for n in range(MAX_BOX, 0, -1) if count % n == 0)
            if part == 1:
                raise BoxError(f"a box has at most {MAX_BOX} elements in a dimension, found {count} along mode {mode}")
            return [*box, (part, mode)], [(count // part, mode, part), *walk[index + 1 :]]
        box.append((count, mode))
    return box, []


def _check_contiguous(strides: Sequence[int | None], box: list[tuple[int, int]], element_bytes: int) -> None:
    mode = box[0][1]
    if strides[mode] != 1:
        contiguous = [index for index, stride in enumerate(strides) if stride == 1]
        found = f"mode {contiguous[0]} is contiguous" if contiguous else "no mode is known to be contiguous"
        raise BoxError(
            f"neighbours in shared memory are neighbours along mode {mode} of the tensor, of which {found}: the copy "
            "engine keeps the order of rows; give a layout of shared memory that does"
        )


def _check_inner(box: list[tuple[int, int]], swizzle: int, element_bytes: int, smem: object) -> None:
    inner = box[0][0] * element_bytes
    if inner % GRANULE:
        raise BoxError(f"the rows of a box have {inner} bytes, and the copy engine moves multiples of {GRANULE}")
    if swizzle and inner > _SPANS[swizzle]:
        raise BoxError(
            f"the rows of a box have {inner} bytes, and the swizzle of {smem} spans {_SPANS[swizzle]}: cut the tile "
            f"into columns of {_SPANS[swizzle] // element_bytes} elements, one behind the other"
        )
    if swizzle and inner < _SPANS[swizzle]:  # the engine lays rows as far apart as the swizzle spans
        raise BoxError(
            f"the rows of a box have {inner} bytes, and the swizzle of {smem} spans {_SPANS[swizzle]}: take the "
            "swizzle that spans as many bytes as a row has, or none"
        )


def _places(box: int, rest: list[tuple[int, int, int]], rank: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    found = []
    for indices in product(*(range(count) for count, _, _ in reversed(rest))):
        offset, scale, coordinate = 0, box, [0] * rank
        for index, (count, mode, step) in zip(reversed(indices), rest, strict=True):
            offset += index * scale
            scale *= count
            coordinate[mode] += index * step
        found.append((offset, tuple(coordinate)))
    return tuple(found)


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
