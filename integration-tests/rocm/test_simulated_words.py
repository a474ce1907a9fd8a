"""Words, buffer copies and matrix atoms of `fx.rocdl` on simulated GPUs give the numbers of their definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.matmul import matmul_of
from support.one_block import N, run

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench
from flydsl_rocm.atoms.matrix_intrinsics import MFMA
from flydsl_rocm.features import Feature
from flydsl_rocm.target import TARGETS

WAVES = {"gfx90a": 64, "gfx942": 64, "gfx950": 64, "gfx1100": 32, "gfx1201": 32, "gfx1250": 32}
CDNA = ("gfx942", "gfx950")


def numbers() -> np.ndarray:
    return np.random.default_rng(5).standard_normal(N).astype(np.float32)


def by_rows(x: np.ndarray, lanes: int, move: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """`move` applied to rows of so many lanes."""
    return move(x.reshape(-1, lanes)).reshape(x.shape)


def shifted(rows: np.ndarray) -> np.ndarray:
    return np.concatenate([np.zeros_like(rows[:, :1]), rows[:, :-1]], axis=1)


EXCHANGES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[np.ndarray, int], np.ndarray]]] = {
    "readfirstlane": (
        lambda i, x: fx.rocdl.readfirstlane(x),
        lambda x, wave: by_rows(x, wave, lambda rows: np.repeat(rows[:, :1], wave, axis=1)),
    ),
    "readlane": (
        lambda i, x: fx.rocdl.readlane(x, 5),
        lambda x, wave: by_rows(x, wave, lambda rows: np.repeat(rows[:, 5:6], wave, axis=1)),
    ),
    "ds_bpermute": (
        lambda i, x: fx.rocdl.ds_bpermute((i + 3) * 4, x),
        lambda x, wave: by_rows(x, wave, lambda rows: np.roll(rows, -3, axis=1)),
    ),
    "ds_swizzle": (
        lambda i, x: fx.rocdl.ds_swizzle(x, 0x401F),  # exchange lanes that differ in bit 4
        lambda x, wave: x[np.arange(N) ^ 16],
    ),
    "update_dpp": (
        lambda i, x: fx.rocdl.update_dpp(x, x, 0x111, 15, 15, True),  # row_shr:1
        lambda x, wave: by_rows(x, 16, shifted),
    ),
}


@pytest.mark.parametrize("word", EXCHANGES)
@pytest.mark.parametrize("chip", WAVES)
def test_a_word_exchanges_the_lanes_of_its_definition(chip: str, word: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    body, reference = EXCHANGES[word]
    x = numbers()
    np.testing.assert_array_equal(run(body, x, np.zeros_like(x)), reference(x, WAVES[chip]))


@pytest.mark.parametrize("arch", ["gfx942", "gfx1100:wavefrontsize64+", "gfx1201:wavefrontsize64+"])
def test_halves_of_a_wave_are_exchanged_among_the_threads_that_take_part(arch: str, hipsim: HipsimBench) -> None:
    hipsim.use(arch)

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        if i % 64 >= 8:
            y[i] = fx.shuffle_xor(x[i], 32)

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=N)

    x, y = numbers(), np.full(N, 9, np.float32)
    host(x, y)
    lane = np.arange(N) % 64
    expected = np.where((lane ^ 32) >= 8, x[np.arange(N) ^ 32], 0)
    np.testing.assert_array_equal(y, np.where(lane >= 8, expected, 9))


@pytest.mark.parametrize("chip", WAVES)
def test_a_ballot_has_one_bit_for_each_lane(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    x = numbers()
    found = run(lambda i, v: fx.Int64(fx.rocdl.ballot(v > 0)), x, np.zeros(N, np.int64))
    bits = np.packbits(x > 0, bitorder="little").view(f"<u{WAVES[chip] // 8}")
    mask = (1 << WAVES[chip]) - 1
    assert [int(value) & mask for value in found] == [int(b) for b in bits.repeat(WAVES[chip])]


@pytest.mark.parametrize("chip", WAVES)
def test_medians_and_bytes_are_picked(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    x = numbers()
    np.testing.assert_array_equal(
        run(lambda i, v: fx.rocdl.fmed3(v, -0.25, 0.75), x, np.zeros_like(x)), np.clip(x, -0.25, 0.75)
    )
    words = np.random.default_rng(6).integers(-(2**31), 2**31, N).astype(np.int32)
    found = run(lambda i, w: fx.rocdl.perm_b32(w, i, 0x05040100), words, np.zeros_like(words))
    pairs = np.stack([np.arange(N).astype(np.int16), words.astype(np.int16)], axis=1)
    np.testing.assert_array_equal(found, pairs.view(np.int32).ravel())


@pytest.mark.parametrize(
    ("chip", "fp8", "bf8"),
    [
        ("gfx942", ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz),
        ("gfx950", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
        ("gfx1201", ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2),
    ],
)
def test_floats_of_8_bits_are_those_of_the_chip(chip: str, fp8: Any, bf8: Any, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    x = numbers()
    codes = np.arange(N, dtype=np.int32)
    for kind, dtype in (("fp8", fp8), ("bf8", bf8)):
        packed = run(lambda i, v, k=kind: getattr(fx.rocdl, f"cvt_pk_{k}_f32")(v, v, 0, False), x, codes.copy())
        np.testing.assert_array_equal(packed.astype(np.uint8), x.astype(dtype).view(np.uint8))
        floats = run(lambda i, c, k=kind: getattr(fx.rocdl, f"cvt_f32_{k}")(c, 0), codes, np.zeros(N, np.float32))
        np.testing.assert_array_equal(floats, codes.astype(np.uint8).view(dtype).astype(np.float32))


@pytest.mark.parametrize("chip", WAVES)
def test_a_buffer_gives_0_beyond_its_bound_and_keeps_what_is_there(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    inside = 37

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = fx.rocdl.make_buffer_tensor(x, num_records_bytes=4 * inside)[i]
        fx.rocdl.make_buffer_tensor(z, num_records_bytes=4 * inside)[i] = x[i]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
        kernel(x, y, z).launch(grid=1, block=64)

    x = numbers()[:64].copy()
    y, z = np.full_like(x, np.nan), np.full_like(x, 9)
    host(x, y, z)
    in_bounds = np.arange(64) < inside
    np.testing.assert_array_equal(y, np.where(in_bounds, x, 0))
    np.testing.assert_array_equal(z, np.where(in_bounds, x, 9))


@pytest.mark.parametrize(
    ("chip", "word", "per_thread"),
    [("gfx942", "BufferCopyLDS32b", 1), ("gfx950", "BufferCopyLDS32b", 1), ("gfx950", "BufferCopyLDS128b", 4)],
)
def test_memory_goes_to_lds_past_the_registers(chip: str, word: str, per_thread: int, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    count = 64 * per_thread

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        lds = fx.make_view(
            fx.recast_iter(fx.Float32, fx.SharedAllocator().allocate(4 * count, 16)), fx.make_layout(count, 1)
        )
        memory = fx.rocdl.make_buffer_tensor(x)
        mine = fx.logical_divide(memory, fx.make_layout(per_thread, 1))[None, fx.thread_idx.x]
        there = fx.make_view(fx.get_iter(lds), fx.make_layout(per_thread, 1))
        fx.copy(fx.make_copy_atom(getattr(fx.rocdl, word)(), fx.Float32), mine, there)
        fx.rocdl.s_waitcnt(vmcnt=0)
        fx.barrier()
        for k in fx.range_constexpr(per_thread):
            place = fx.thread_idx.x * per_thread + k
            y[place] = lds[count - 1 - place]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=64)

    x = numbers()[:count].copy()
    y = np.zeros_like(x)
    host(x, y)
    np.testing.assert_array_equal(y, x[::-1])


KINDS = {
    "f32": ("Float32", "float32"), "f16": ("Float16", "float16"), "bf16": ("BFloat16", "bfloat16"),
    "i8": ("Int8", "int8"), "f64": ("Float64", "float64"), "bf8": ("Float8E5M2", "float8_e5m2"),
}  # fmt: skip
FP8 = {"gfx942": ("Float8E4M3FNUZ", "float8_e4m3fnuz"), "gfx950": ("Float8E4M3FN", "float8_e4m3fn")}
MFMA_CASES = [
    (chip, *key)
    for chip in CDNA
    for key, intrinsic in MFMA.items()
    if intrinsic.blocks == 1
    and intrinsic.form == "plain"
    and intrinsic.feature in TARGETS[chip].features
    and (
        ("bf8" not in key) if chip == "gfx942" else {"fp8", "bf8"} & {*key} or intrinsic.feature is Feature.MFMA_GFX950
    )
]
"""Every shape of gfx942 but those of Float8E5M2FNUZ, which the language has no word for, and what gfx950 adds."""


@pytest.mark.parametrize(("chip", "m", "n", "k", "a", "b", "acc"), MFMA_CASES)
def test_a_matrix_atom_multiplies(
    chip: str, m: int, n: int, k: int, a: str, b: str, acc: str, hipsim: HipsimBench
) -> None:
    kinds = {**KINDS, "fp8": FP8[chip]}
    types = tuple(getattr(fx, kinds[kind][0]) for kind in (a, b))
    accumulator = fx.Float64 if acc == "f64" else None
    hipsim.use(chip)
    matmul = matmul_of(lambda: fx.rocdl.MFMA(m, n, k, types, accumulator), ((2, 1, 1), (1, 1, 1)))
    rng = np.random.default_rng(8)
    left, right = (rng.integers(-4, 5, (extent + 5, k + 5)) for extent in (m, n))
    arrays = [values.astype(np.dtype(kinds[kind][1])) for values, kind in ((left, a), (right, b))]
    c = np.full((m + 5, n + 5), 99, {"i32": np.int32, "f64": np.float64}.get(acc, np.float32))
    matmul(*arrays, c)
    np.testing.assert_array_equal(c, left @ right.T)
