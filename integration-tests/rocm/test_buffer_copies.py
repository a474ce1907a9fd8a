"""Buffer copies and atomics on every simulated chip, and what they are refused for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FlyDSLError, FrontendError
from flydsl_hipsim.bench import HipsimBench

CHIPS = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
CDNA = CHIPS[:3]
TYPES = {"float32": fx.Float32, "float16": fx.Float16, "int8": fx.Int8, "float64": fx.Float64}
N = 64


def moving(bits: int, dtype: Any) -> Any:
    """Each thread moves `bits` bits by way of registers, from and to elements that `soffset` says."""
    width = bits // dtype.width

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy(bits), dtype)
        source, target = (
            fx.logical_divide(fx.rocdl.make_buffer_tensor(t, max_size=False), fx.make_layout(width, 1))[
                None, fx.thread_idx.x
            ]
            for t in (x, y)
        )
        registers = fx.make_fragment_like(source)
        fx.copy(atom, source, registers, soffset=offset)
        fx.copy(atom, registers, target, soffset=2 * offset)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        kernel(x, y, offset).launch(grid=1, block=N)

    return host


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("dtype", sorted(TYPES))
@pytest.mark.parametrize("bits", [8, 16, 32, 64, 96, 128])
def test_copies_move_their_bits_within_the_bounds(hipsim: HipsimBench, chip: str, dtype: str, bits: int, rng):
    width = bits // TYPES[dtype].width
    if width * TYPES[dtype].width != bits or not width:
        return
    hipsim.use(chip)
    offset = 3 * width
    x = rng.integers(1, 100, N * width + 2).astype(dtype)
    y = np.zeros(N * width + 5, dtype)
    moving(bits, TYPES[dtype])(x, y, offset)
    moved = np.concatenate([x[offset:], np.zeros(offset, x.dtype)])[: N * width]
    expected = np.concatenate([np.zeros(2 * offset, x.dtype), moved])[: len(y)]
    whole = len(y) * TYPES[dtype].width // 32 * 32 // TYPES[dtype].width  # of a word only a part of which is inside
    np.testing.assert_array_equal(y[:whole], expected[:whole])


COMBINED: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "Add": (np.add, lambda kind: fx.rocdl.BufferAtomicAdd(kind)),
    "Max": (np.maximum, lambda kind: fx.rocdl.BufferAtomicMax(kind)),
    "Min": (np.minimum, lambda kind: fx.rocdl.BufferAtomicMin(kind)),
    "and": (np.bitwise_and, lambda kind: fx.rocdl.BufferAtomic("and", kind)),
    "or": (np.bitwise_or, lambda kind: fx.rocdl.BufferAtomic("or", kind)),
}
KINDS = {"int32": fx.Int32, "uint32": fx.Uint32, "int64": fx.Int64, "uint64": fx.Uint64}


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("name", COMBINED)
@pytest.mark.parametrize("kind", KINDS)
def test_atomics_combine_integers_of_either_sign(hipsim: HipsimBench, chip: str, name: str, kind: str, rng):
    hipsim.use(chip)
    reference, make = COMBINED[name]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        registers = fx.make_rmem_tensor(1, KINDS[kind])
        registers[0] = x[fx.thread_idx.x]
        target = fx.logical_divide(fx.rocdl.make_buffer_tensor(y, max_size=False), fx.make_layout(1, 1))
        atom = fx.make_copy_atom(make(KINDS[kind]), KINDS[kind])
        fx.copy(atom, registers, target[None, fx.thread_idx.x % 8], soffset=offset)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, offset: fx.Int32):
        kernel(x, y, offset).launch(grid=1, block=N)

    limits = np.iinfo(kind)
    x = rng.integers(limits.min, limits.max, N, dtype=kind, endpoint=True)
    y = rng.integers(limits.min, limits.max, 10, dtype=kind, endpoint=True)
    expected = y.copy()
    for k in range(8):
        if k + 3 < len(y):
            expected[k + 3] = reference.reduce(np.concatenate([y[k + 3 : k + 4], x[k::8]]), dtype=kind)
    host(x, y, 3)
    np.testing.assert_array_equal(y, expected)


def launched(body: Callable[..., None]) -> Any:
    """`body` as a kernel of one block, with one tensor."""
    made = flyc.kernel(body)

    @flyc.jit
    def host(x: fx.Tensor):
        made(x).launch(grid=1, block=N)

    return host


def lds_of(align: int = 16) -> Any:
    return fx.make_view(fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(4096, align)), fx.make_layout(1, 1))


def plain_to_registers(x: fx.Tensor):
    registers = fx.make_rmem_tensor(1, fx.Float32)
    mine = fx.logical_divide(x, fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32), mine, registers)


def registers_to_plain(x: fx.Tensor):
    registers = fx.make_rmem_tensor(1, fx.Float32)
    registers[0] = 1.0
    mine = fx.logical_divide(x, fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32), registers, mine)


def atomic_on_plain(x: fx.Tensor):
    registers = fx.make_rmem_tensor(1, fx.Float32)
    registers[0] = 1.0
    mine = fx.logical_divide(x, fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferAtomicAdd(fx.Float32), fx.Float32), registers, mine)


def plain_to_lds(x: fx.Tensor):
    mine = fx.logical_divide(x, fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopyLDS32b(), fx.Float32), mine, lds_of())


def buffer_to_registers_by_lds_copy(x: fx.Tensor):
    mine = fx.logical_divide(fx.rocdl.make_buffer_tensor(x), fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopyLDS32b(), fx.Float32), mine, fx.make_rmem_tensor(1, fx.Float32))


def immediate_too_large(x: fx.Tensor):
    mine = fx.logical_divide(fx.rocdl.make_buffer_tensor(x), fx.make_layout(1, 1))[None, fx.thread_idx.x]
    fx.copy(fx.make_copy_atom(fx.rocdl.BufferCopyLDS32b(), fx.Float32), mine, lds_of(), imm_offset=4096)


REFUSED = [
    (plain_to_registers, r"buffer_copy<32> reads or writes a buffer tensor, found !fly.memref<f32, global, .* to "),
    (registers_to_plain, r"buffer_copy<32> reads or writes a buffer tensor, found .* to !fly.memref<f32, global"),
    (atomic_on_plain, r"buffer_atomic<add, f32> combines registers with a buffer tensor, found"),
    (plain_to_lds, r"buffer_copy_lds<32> copies a buffer tensor to shared memory, found !fly.memref<f32, global"),
    (buffer_to_registers_by_lds_copy, r"buffer_copy_lds<32> copies a buffer tensor to shared memory, found"),
    (immediate_too_large, r"imm_offset of .* is 0 to 4095 bytes, found 4096; use soffset"),
]


@pytest.mark.parametrize(("body", "message"), REFUSED, ids=lambda value: getattr(value, "__name__", ""))
def test_what_an_atom_cannot_do_is_an_error_at_the_copy(hipsim: HipsimBench, body: Any, message: str):
    hipsim.use("gfx942")
    with pytest.raises(FlyDSLError, match=message) as caught:
        launched(body)(np.zeros(N, np.float32))
    assert "fx.copy(" in str(caught.value)


def test_a_copy_of_registers_has_no_immediate_offset(hipsim: HipsimBench):
    hipsim.use("gfx942")

    def body(x: fx.Tensor):
        mine = fx.logical_divide(fx.rocdl.make_buffer_tensor(x), fx.make_layout(1, 1))[None, fx.thread_idx.x]
        fx.copy(
            fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32), mine, fx.make_fragment_like(mine), imm_offset=4
        )

    with pytest.raises(FrontendError, match=r"has no state field 'imm_offset'; it has \['soffset'\]"):
        launched(body)(np.zeros(N, np.float32))


@pytest.mark.parametrize("bits", [8, 64, 96])
def test_copies_to_lds_have_32_or_128_bits(bits: int):
    with pytest.raises(FrontendError, match=f"BufferCopyLDS moves 32 or 128 bits, found {bits}"):
        fx.rocdl.BufferCopyLDS(bits)
