"""Descriptors of operands in shared memory, against a model of how the hardware reads memory by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import flydsl.expr as fx
import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.layout import Layout, Swizzle
from flydsl_cuda.atoms.matrix_descriptor import describe, span_of

BYTES = {span: Swizzle(mask, 4, 3) for span, mask in ((128, 3), (64, 2), (32, 1))}
"""Swizzles of byte addresses by their span."""


class Fields(NamedTuple):
    """A descriptor as the hardware takes it apart, in bytes."""

    start: int
    leading: int
    stride: int
    span: int


def fields(bits: int) -> Fields:
    mode = {0: 16, 1: 128, 2: 64, 3: 32}[bits >> 62]
    assert bits & ~(3 << 62 | 0x3FFF << 32 | 0x3FFF << 16 | 0x3FFF) == 0
    return Fields(*((bits >> at & 0x3FFF) << 4 for at in (0, 16, 32)), mode)


def hardware_address(found: Fields, row: int, k: int, size: int, *, k_major: bool) -> int:
    """Where the hardware reads an element: by the tables of the PTX manual, and the XOR of address bits."""
    across, along = (row, k * size) if k_major else (k, row * size)
    run, place = divmod(along, found.span)
    group, line = divmod(across, 8)
    if found.span == 16 and not k_major:
        address = found.start + group * found.leading + run * found.stride + line * 16 + place
    else:
        address = found.start + group * found.stride + run * found.leading + line * found.span + place
    exchanged = {128: 7, 64: 3, 32: 1, 16: 0}[found.span]
    return address ^ ((address >> 7) & exchanged) << 4


def tile(major: str, size: int, rows: int, k: int) -> tuple[Layout, int]:
    """A tile's layout in elements, and its span in bytes, from the words of the language."""
    dtype = {1: fx.Int8, 2: fx.BFloat16, 4: fx.Float32}[size]
    payload = fx.nvvm.smem_layout(major, dtype, (rows, k)).payload
    if isinstance(payload, Layout):
        return payload, 16
    assert isinstance(payload, fl.ComposedLayout)
    assert isinstance(payload.inner, Swizzle)
    assert (1 << payload.inner.base) * size == 16
    return payload.outer, 16 << payload.inner.mask


@pytest.mark.parametrize(
    ("major", "size", "rows", "k"),
    [
        *(("k", size, rows, 128 // size) for size in (1, 2, 4) for rows in (64, 256)),
        *(("k", 2, 64, k) for k in (16, 32, 40, 128, 192)),
        *(("mn", 2, rows, k) for rows in (64, 128, 256, 32, 16, 24, 96) for k in (16, 64)),
    ],
)
def test_the_hardware_reads_each_element_from_its_place(major: str, size: int, rows: int, k: int) -> None:
    layout, span = tile(major, size, rows, k)
    swizzle, depth = BYTES.get(span), 32 // size
    plain = fl.composition(layout, Layout((rows, k)))
    memory = np.full(rows * k * size + 8192, -1)
    for row in range(rows):
        for column in range(k):
            place = plain((row, column)) * size + 4096  # type: ignore[operator]
            memory[place if swizzle is None else swizzle(place)] = row * k + column
    for step in range(k // depth):
        start = plain((0, step * depth)) * size + 4096  # type: ignore[operator]
        part = fl.composition(layout, Layout((rows, depth)))
        found = fields(describe(part, swizzle, 8 * size, rows, depth, k_major=major == "k").bits | start >> 4)
        for row in range(rows):
            for column in range(depth):
                address = hardware_address(found, row, column, size, k_major=major == "k")
                assert memory[address] == row * k + step * depth + column, (row, column)


def test_descriptors_of_kernels_that_ran_on_a_device() -> None:
    """K-major tiles and MN-major ones in boxes of 64 columns, both with the swizzle of 128 bytes."""
    k_major = describe(Layout((64, 16), (64, 1)), BYTES[128], 16, 64, 16, k_major=True)
    assert k_major.bits == 1 << 62 | 1024 >> 4 << 32 | 1 << 16
    boxes = Layout(((64, 4), (8, 2)), ((1, 4096), (64, 512)))
    mn_major = describe(boxes, BYTES[128], 16, 256, 16, k_major=False)
    assert mn_major.bits == 1 << 62 | 1024 >> 4 << 32 | 8192 >> 4 << 16


@pytest.mark.parametrize(
    ("layout", "span", "k_major", "message"),
    [
        ("(64,16):(72,1)", 128, True, "no descriptor is .* K-major operand of 64 x 16 with a swizzle of 128 bytes"),
        ("(64,16):(64,1)", 64, True, "with a swizzle of 64 bytes"),
        ("(64,16):(16,1)", 16, True, "with no swizzle"),
        ("(64,16):(1,64)", 128, True, "K-major"),
        ("(64,16):(64,1)", 128, False, "MN-major operand"),
        ("((8,8),16):((64,500),1)", 128, True, "a stride of 1000 bytes"),
        ("((8,8),16):((64,?),1)", 128, True, "static layout"),
    ],
)
def test_what_no_descriptor_says(layout: str, span: int, k_major: bool, message: str) -> None:
    with pytest.raises(IRError, match=message):
        describe(fl.parse_layout(layout), BYTES.get(span), 16, 64, 16, k_major=k_major)


def test_swizzles_that_the_hardware_lacks() -> None:
    assert [span_of(swizzle) for swizzle in (None, Swizzle(0, 4, 3), *BYTES.values())] == [16, 16, 128, 64, 32]
    with pytest.raises(IRError, match=r"S<3,3,3> of byte addresses is none that matrix instructions know"):
        span_of(Swizzle(3, 3, 3))
