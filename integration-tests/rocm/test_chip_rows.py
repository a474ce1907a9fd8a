"""Every row of the table of chips: a spread of kernels is compiled for it, runs where it is simulated, and is right.

LLVM ends the process for an instruction that a chip lacks, so a feature that a row has wrongly is found here.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from support.examples import load_example
from support.matrix_atoms import MatrixAtom, plain_atoms, run_atom

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTargetError
from flydsl_hipsim.bench import HipsimBench
from flydsl_rocm.features import Feature
from flydsl_rocm.target import TARGETS, target_of

N = 256
ELSEWHERE = ("gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250")
"""Chips on which whole folders of tests run."""
OTHERS = [chip for chip in TARGETS if chip not in ELSEWHERE]
TYPES: dict[Any, Any] = {
    fx.Int8: np.int8,
    fx.Int16: np.int16,
    fx.Int32: np.int32,
    fx.Int64: np.int64,
    fx.Float16: np.float16,
    fx.BFloat16: ml_dtypes.bfloat16,
    fx.Float32: np.float32,
    fx.Float64: np.float64,
    fx.Float8E4M3FN: ml_dtypes.float8_e4m3fn,
    fx.Float8E5M2: ml_dtypes.float8_e5m2,
    fx.Float8E4M3FNUZ: ml_dtypes.float8_e4m3fnuz,
}
ATOMICS: dict[tuple[str, Any], Feature | None] = {
    ("add", fx.Int32): None,
    ("add", fx.Int64): None,
    ("add", fx.Float32): None,
    ("max", fx.Float32): Feature.ATOMIC_MIN_MAX_F32,
    ("add", fx.Float64): Feature.ATOMICS_F64,
    ("min", fx.Float64): Feature.ATOMICS_F64,
}
PACKED = {fx.Float16: Feature.ATOMIC_PACKED_F16, fx.BFloat16: Feature.ATOMIC_PACKED_BF16}
COMBINED = {"add": np.add, "max": np.maximum, "min": np.minimum}


@pytest.mark.parametrize("chip", TARGETS)
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_sums_of_each_type(chip: str, kind: Any, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    dtype = TYPES[kind]

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor) -> None:
        i = fx.thread_idx.x
        if fx.const_expr(kind.width == 8 and kind.is_float):  # sums of these are made in f32
            y[i] = (x[i].to(fx.Float32) + y[i].to(fx.Float32)).to(kind)
        else:
            y[i] = x[i] + y[i]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor) -> None:
        kernel(x, y).launch(grid=1, block=N)

    x, y = (rng.integers(0, 8, N).astype(dtype) for _ in range(2))
    expected = (x.astype(np.float64) + y.astype(np.float64)).astype(dtype)
    host(x, y)
    np.testing.assert_array_equal(y.view(f"u{y.itemsize}"), expected.view(f"u{y.itemsize}"))


@pytest.mark.parametrize("chip", OTHERS)
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("01_vector_add", (77, 333)),
        ("07_block_reduction", (7, 999)),
        ("08_scan", (7, 999)),
        ("09_softmax", (5, 1023)),
        ("12_tiled_gemm", (65, 63, 17)),
        ("18_histogram", (9001,)),
    ],
)
def test_examples_equal_numpy(chip: str, name: str, size: tuple[int, ...], hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    load_example(name).check(np.random.default_rng(1), *size)


# The example has no shape of gfx1250, whose atoms are all tried in `test_simulated_atoms.py`.
@pytest.mark.parametrize("chip", [c for c, target in TARGETS.items() if Feature.WMMA_GFX1250 not in target.features])
def test_a_product_on_the_matrix_instructions_of_the_chip(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    features = target_of(chip).features
    unit, dtype = ("mfma", np.float32) if Feature.MFMA in features else ("wmma", np.float16)
    example, rng, (m, n, k) = load_example("03_tiled_mma"), np.random.default_rng(4), (53, 37, 71)
    a, b = (rng.standard_normal((extent, k)).astype(dtype) for extent in (m, n))
    c = np.full((m, n), np.nan, np.float32)
    example.matmul(a, b, c, unit)
    np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-5, atol=1e-5 * k)


@pytest.mark.parametrize("atom", [atom for chip in OTHERS for atom in plain_atoms(chip)], ids=str)
def test_every_matrix_atom(atom: MatrixAtom, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    hipsim.use(atom.chip)
    found, expected = run_atom(atom, rng)
    np.testing.assert_array_equal(found, expected)


def combining(make: Any, kind: Any, lanes: int) -> Any:
    """A launch that combines `lanes` elements of x a thread into four places of y, by buffer atomics."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor) -> None:
        registers = fx.make_rmem_tensor(lanes, kind)
        for j in fx.range_constexpr(lanes):
            registers[j] = x[fx.thread_idx.x * lanes + j]
        target = fx.logical_divide(fx.rocdl.make_buffer_tensor(y, max_size=False), fx.make_layout(lanes, 1))
        fx.copy(fx.make_copy_atom(make(), kind), registers, target[None, fx.thread_idx.x % 4])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor) -> None:
        kernel(x, y).launch(grid=1, block=N)

    return host


@pytest.mark.parametrize("chip", TARGETS)
@pytest.mark.parametrize("name", ATOMICS, ids=lambda name: f"{name[0]}-{name[1].__name__}")
def test_atomics_are_right_or_refused(
    chip: str, name: tuple[str, Any], hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    (op, kind), feature = name, ATOMICS[name]
    x, y = (rng.integers(-99, 99, count).astype(TYPES[kind]) for count in (N, 4))
    host = combining(lambda: fx.rocdl.BufferAtomic(op, kind), kind, 1)
    if feature is not None and feature not in TARGETS[chip].features:
        with pytest.raises(UnsupportedTargetError, match=f"{chip} has no"):
            host(x, y)
        return
    expected = [COMBINED[op].reduce([y[k], *x[k::4]]) for k in range(4)]
    host(x, y)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize("chip", TARGETS)
@pytest.mark.parametrize("kind", PACKED, ids=lambda kind: kind.__name__)
def test_packed_atomics_are_right_or_refused(
    chip: str, kind: Any, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    x, y = (rng.integers(0, 2, count).astype(TYPES[kind]) for count in (2 * N, 8))
    host = combining(lambda: fx.rocdl.BufferAtomicPkAdd(kind), kind, 2)
    if PACKED[kind] not in TARGETS[chip].features:
        with pytest.raises(UnsupportedTargetError, match=f"{chip} has no"):
            host(x, y)
        return
    expected = y.astype(np.float64) + x.astype(np.float64).reshape(-1, 8).sum(axis=0)
    host(x, y)
    np.testing.assert_array_equal(y.astype(np.float64), expected)


@pytest.mark.parametrize("chip", TARGETS)
def test_the_wave_is_as_wide_as_the_row_says(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)

    @flyc.kernel
    def kernel(y: fx.Tensor) -> None:
        y[fx.thread_idx.x] = fx.Int32(fx.num_warp_threads()) * 1000 + fx.Int32(fx.lane_id())

    @flyc.jit
    def host(y: fx.Tensor) -> None:
        kernel(y).launch(grid=1, block=N)

    y, wave = np.zeros(N, np.int32), TARGETS[chip].wave
    host(y)
    np.testing.assert_array_equal(y, wave * 1000 + np.arange(N) % wave)
