"""Moves of tensors between memory and LDS on gfx1250, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from flydsl_hipsim.errors import KernelFault

CHIP = "gfx1250"
LDS_WORDS = 8192
TENSORS = [  # shape, tile, start: outermost dimension first
    ((37,), (16,), (5,)),
    ((37,), (16,), (30,)),
    ((9, 13), (4, 8), (2, 1)),
    ((9, 13), (4, 8), (7, 9)),
    ((3, 5, 7), (2, 4, 5), (0, 0, 0)),
    ((3, 5, 7), (2, 4, 5), (2, 3, 4)),
    ((3, 2, 5, 7), (2, 1, 4, 8), (1, 1, 3, 0)),
    ((2, 3, 2, 5, 7), (2, 2, 3, 2, 4), (1, 2, 1, 4, 5)),
]
TYPES = (np.uint8, np.float16, np.float32, np.float64)


def words_of(
    array: np.ndarray,
    tile: tuple[int, ...],
    start: tuple[int, ...],
    *,
    lds: int = 0,
    interval: int = 0,
    amount: int = 0,
) -> np.ndarray:
    """The four groups; `interval` and `amount` in words."""
    element, rank = array.itemsize, array.ndim
    address = array.ctypes.data + sum(s * t for s, t in zip(start, array.strides, strict=True))
    extents = [max(n - s, 0) for n, s in zip(array.shape, start, strict=True)][::-1] + [0] * (5 - rank)
    strides = [t // element for t in array.strides][::-1][1:] + [0] * (5 - rank)
    tiles = [*tile][::-1] + [0] * (5 - rank)
    bits = [(0, 2, 1), (32, 32, lds), (64, 57, address), (126, 2, 2)]
    bits += [(128 + 16, 2, element.bit_length() - 1), (160 + 16, 32, extents[0]), (160 + 48, 32, extents[1])]
    if interval:
        bits += [(128 + 20, 1, 1), (128 + 22, 3, interval.bit_length() - 2), (128 + 25, 7, amount - 1)]
    bits += [(160 + 80, 16, tiles[0]), (160 + 96, 16, tiles[1]), (160 + 112, 16, tiles[2])]
    bits += [(128 + 160, 48, strides[0]), (128 + 208, 48, strides[1])] if rank > 1 else []
    bits += [(384, 32, extents[2]), (416, 32, extents[3]), (448, 48, strides[2] if rank > 3 else 0)]
    bits += [(448 + 48, 16, tiles[3]), (512, 48, strides[3] if rank > 4 else 0)]
    bits += [(560, 32, extents[4]), (592, 16, tiles[4])]
    number = 0
    for first, width, value in bits:
        assert 0 <= value < 1 << width
        number |= value << first
    return np.frombuffer(number.to_bytes(80, "little"), np.int32).copy()


def tile_of(array: np.ndarray, tile: tuple[int, ...], start: tuple[int, ...]) -> np.ndarray:
    """With zeros where the array is not."""
    part = array[tuple(slice(s, s + n) for s, n in zip(start, tile, strict=True))]
    return np.pad(part, [(0, n - m) for n, m in zip(tile, part.shape, strict=True)])


def padded(data: bytes, interval: int, amount: int) -> tuple[np.ndarray, np.ndarray]:
    """Offsets in LDS of all bytes of a tile, and the bytes."""
    at = np.arange(len(data))
    return at + (at // (4 * interval) * 4 * amount if interval else 0), np.frombuffer(data, np.uint8)


def strided(rng: np.random.Generator, shape: tuple[int, ...], kind: Any) -> np.ndarray:
    """A part of a larger array: only the innermost dimension is contiguous."""
    full = rng.integers(1, 100, tuple(n + 3 for n in shape)).astype(kind)
    return full[tuple(slice(1, 1 + n) for n in shape)]


def base_of(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("shape", "tile", "start"), TENSORS)
@pytest.mark.parametrize("padding", [(0, 0), (2, 1), (16, 4)])
def test_a_tile_is_loaded_with_zeros_where_the_tensor_ends(
    kernels: Any, kind: Any, shape: Any, tile: Any, start: Any, padding: tuple[int, int], rng: np.random.Generator
) -> None:
    array = strided(rng, shape, kind)
    lds = rng.integers(0, 2**32, LDS_WORDS, dtype=np.uint32)
    expected = lds.copy().view(np.uint8)
    at, data = padded(tile_of(array, tile, start).tobytes(), *padding)
    expected[64 + at] = data
    words = words_of(array, tile, start, lds=64, interval=padding[0], amount=padding[1])
    kernels("tensors", 1, CHIP).run("loaded", 1, 32, [words, base_of(array), lds], check="all")
    np.testing.assert_array_equal(lds.view(np.uint8), expected)


@pytest.mark.parametrize(("shape", "tile", "start"), TENSORS[:4])
def test_two_groups_are_enough_for_two_dimensions(
    kernels: Any, shape: Any, tile: Any, start: Any, rng: np.random.Generator
) -> None:
    array, lds = strided(rng, shape, np.float32), np.zeros(LDS_WORDS, np.uint32)
    kernels("tensors", 1, CHIP).run("loaded_two", 1, 32, [words_of(array, tile, start), base_of(array), lds])
    expected = tile_of(array, tile, start).ravel()
    np.testing.assert_array_equal(lds.view(np.float32)[: expected.size], expected)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize(("shape", "tile", "start"), TENSORS)
def test_a_tile_is_stored_where_the_tensor_is(
    kernels: Any, kind: Any, shape: Any, tile: Any, start: Any, rng: np.random.Generator
) -> None:
    array = strided(rng, shape, kind)
    lds = rng.integers(0, 2**32, LDS_WORDS, dtype=np.uint32)
    data = lds.view(np.uint8)[32:].view(np.uint8)[: int(np.prod(tile)) * array.itemsize].tobytes()
    values = np.frombuffer(data, np.uint8).reshape(*tile, array.itemsize)
    full = base_of(array)
    expected = full.copy()
    inner = expected[tuple(slice(1, 1 + n) for n in shape)]
    place = tuple(slice(s, s + n) for s, n in zip(start, tile, strict=True))
    kept = tuple(slice(0, n) for n in inner[place].shape)
    inner[place] = np.ascontiguousarray(values[kept]).view(array.dtype)[..., 0]
    words = words_of(array, tile, start, lds=32, interval=2, amount=1)  # padding is for loads
    kernels("tensors", 1, CHIP).run("stored", 1, 32, [words, full, lds], check="all")
    np.testing.assert_array_equal(full.view(np.uint8), expected.view(np.uint8))


def test_lds_that_is_read_before_the_move_has_been_waited_for_is_found(kernels: Any) -> None:
    array, lds = np.zeros((4, 4), np.float32), np.zeros(LDS_WORDS, np.uint32)
    arguments = [words_of(array, (4, 4), (0, 0)), array, lds]
    with pytest.raises(KernelFault, match="missing wait: LDS at offset 0 is used before an asynchronous copy to it"):
        kernels("tensors", 1, CHIP).run("loaded_too_early", 1, 32, arguments, check="waits")


@pytest.mark.parametrize(
    ("word", "bits", "what"),
    [
        (0, 1 << 31, "gathers rows"),
        (3, 1 << 30, "has another type than 2"),
        (4, 1 << 19, "iterates"),
        (1, 1 << 20, "an access outside of LDS"),
        (3, 1 << 15, "an invalid read"),
    ],
)
def test_what_a_descriptor_must_not_say_is_a_fault(kernels: Any, word: int, bits: int, what: str) -> None:
    array, lds = np.zeros((4, 4), np.float32), np.zeros(LDS_WORDS, np.uint32)
    words = words_of(array, (4, 4), (0, 0))
    words.view(np.uint32)[word] |= np.uint32(bits)
    with pytest.raises(KernelFault, match=what):
        kernels("tensors", 1, CHIP).run("loaded", 1, 32, [words, array, lds])


def test_a_descriptor_that_is_not_valid_moves_nothing(kernels: Any) -> None:
    array, lds = np.ones((4, 4), np.float32), np.zeros(LDS_WORDS, np.uint32)
    words = words_of(array, (4, 4), (0, 0))
    words[0] = 0
    kernels("tensors", 1, CHIP).run("loaded", 1, 32, [words, array, lds])
    assert not lds.any()
