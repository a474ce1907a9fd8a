"""Boxes of tiles: that they fill shared memory as the layout says, and what cannot be one."""

from __future__ import annotations

import itertools
import struct

import numpy as np
import pytest

from flydsl import layout as fl
from flydsl.base.errors import FlyDSLError
from flydsl_cuda.tensor_map import BoxError, Boxes, Recipe, plan

K_MAJOR, M_MAJOR = (None, 1), (1, None)


def moved(boxes: Boxes, first: tuple[int, ...], element_bytes: int, shape: tuple[int, ...]) -> np.ndarray:
    """Shared memory after the engine has moved the boxes of a tensor whose elements are their coordinates' numbers."""
    tensor = np.arange(np.prod(shape)).reshape(shape)
    memory = np.full(boxes.elements, -1)
    for offset, step in boxes.places:
        for index, place in enumerate(itertools.product(*(range(extent) for extent in reversed(boxes.box)))):
            coordinate = [a + b for a, b in zip(first, step, strict=True)]
            for mode, inner in zip(boxes.order, reversed(place), strict=True):
                coordinate[mode] += inner
            byte = (offset + index) * element_bytes
            byte ^= ((byte >> 7) & ((1 << boxes.swizzle) - 1)) << 4
            inside = all(c < extent for c, extent in zip(coordinate, shape, strict=True))
            memory[byte // element_bytes] = tensor[tuple(coordinate)] if inside else 0
    return memory


TILES = [
    ("(128,64):(64,1)", K_MAJOR, 2),
    ("S<3,3,3> o 0 o (128,64):(64,1)", K_MAJOR, 2),
    ("S<3,3,3> o 0 o (64,(64,2)):(64,(1,4096))", K_MAJOR, 2),
    ("S<2,3,3> o 0 o (8,32):(32,1)", K_MAJOR, 2),
    ("S<1,2,3> o 0 o (16,8):(8,1)", K_MAJOR, 4),
    ("S<3,3,3> o 0 o ((64,2),32):((1,2048),64)", M_MAJOR, 2),
    ("(512,16):(16,1)", K_MAJOR, 1),
    ("(2,32,64):(2048,64,1)", (None, None, 1), 2),
    ("(32,2,64):(64,2048,1)", (None, None, 1), 2),
    ("(64):(1)", (1,), 2),
    ("(16,1):(1,0)", M_MAJOR, 4),
]


@pytest.mark.parametrize(("smem", "strides", "size"), TILES)
def test_boxes_fill_shared_memory_as_the_layout_says(smem: str, strides: tuple[int | None, ...], size: int) -> None:
    layout = fl.parse_any_layout(smem)
    outer = layout.outer if isinstance(layout, fl.ComposedLayout) else layout
    tile = tuple(fl.size(mode) for mode in outer)
    boxes = plan(strides, tile, layout, size)
    shape = tuple(2 * extent + 3 for extent in tile)
    first = tuple(extent // 2 for extent in tile)
    memory = moved(boxes, first, size, shape)
    tensor = np.arange(np.prod(shape)).reshape(shape)
    for coordinate in itertools.product(*map(range, tile)):
        place = layout(coordinate)
        assert memory[place] == tensor[tuple(a + b for a, b in zip(first, coordinate, strict=True))], coordinate


def test_a_box_is_as_large_as_it_can_be() -> None:
    boxes = plan(K_MAJOR, (128, 64), fl.parse_layout("(128,64):(64,1)"), 2)
    assert (boxes.order, boxes.box, boxes.places) == ((1, 0), (64, 128), ((0, (0, 0)),))
    boxes = plan(K_MAJOR, (512, 128), fl.parse_layout("(512,(64,2)):(64,(1,32768))"), 2)
    assert boxes.box == (64, 256)
    assert boxes.places == ((0, (0, 0)), (16384, (256, 0)), (32768, (0, 64)), (49152, (256, 64)))


@pytest.mark.parametrize(
    ("smem", "strides", "tile", "size", "text"),
    [
        ("(128,64):(72,1)", K_MAJOR, (128, 64), 2, "without gaps and each element once"),
        ("(128,64):(0,1)", K_MAJOR, (128, 64), 2, "without gaps and each element once"),
        ("(128,64):(1,128)", K_MAJOR, (128, 64), 2, "along mode 0 of the tensor, of which mode 1 is contiguous"),
        ("(128,64):(64,1)", (None, None), (128, 64), 2, "of which no mode is known to be contiguous"),
        ("(128,64):(64,1)", K_MAJOR, (64, 64), 2, "differ in shape"),
        ("(8,257):(257,1)", K_MAJOR, (8, 257), 2, "a box has at most 256 elements in a dimension, found 257"),
        ("(128,7):(7,1)", K_MAJOR, (128, 7), 2, "the rows of a box have 14 bytes, and the copy engine moves multiples"),
        ("S<3,3,3> o 0 o (8,128):(128,1)", K_MAJOR, (8, 128), 2, "have 256 bytes, and the swizzle .* spans 128"),
        ("S<3,3,3> o 0 o (64,16):(16,1)", K_MAJOR, (64, 16), 2, "have 32 bytes, and the swizzle .* spans 128: take"),
        ("S<2,3,3> o 0 o (64,16):(16,1)", K_MAJOR, (64, 16), 2, "have 32 bytes, and the swizzle .* spans 64: take"),
        ("S<3,4,3> o 0 o (8,64):(64,1)", K_MAJOR, (8, 64), 2, "swizzles of the copy engine on elements of 2 bytes are"),
        ("(8,64):(64,1)", (100, 1), (8, 64), 2, "mode 0 of the tensor has a stride of 200 bytes, and the copy engine"),
        ("(8,64):(64,1)", (None,) * 5 + (1,), (8, 64), 2, "a tensor map has 1 to 5 dimensions; the tensor has 6"),
        ("((2,4),64):((256,1),4)", K_MAJOR, (8, 64), 2, "neighbours in shared memory are|along mode 0"),
    ],
)
def test_what_is_no_box_says_why(
    smem: str, strides: tuple[int | None, ...], tile: tuple[int, ...], size: int, text: str
) -> None:
    with pytest.raises(BoxError, match=text):
        plan(strides, tile, fl.parse_any_layout(smem), size)
    assert issubclass(BoxError, FlyDSLError)


def test_a_recipe_is_twelve_numbers() -> None:
    numbers = struct.unpack("<12I", Recipe("bf16", 2, (64, 128), 3, is_written=True).to_bytes())
    assert numbers == (9, 2, 0, 3, 2, 0, 64, 128, 0, 0, 0, 1)
