"""Tiled products by matrix atoms on simulated chips: odd sizes, several waves, permutations, strided data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.matmul import copied_matmul_of, matmul_of
from support.matrix_atoms import KINDS

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

PLAIN = ((1, 1, 1), (1, 1, 1))
WAVES = ((2, 2, 1), (1, 2, 1))
K_SPLIT = (None, None, ((4, 4, 2), (1, 8, 4)))
"""Values of a thread from both halves of 32 k, as kernels that read 128 bits at once have them."""
INTERLEAVED = (((16, 2, 2), (2, 1, 32)), ((8, 4), (4, 1)), None)
"""Rows of A in pairs of tiles, each column of B a fourth of a row of columns on."""
WIDE = (((4, 2), (2, 1)), ((64, 2), (2, 1)), ((4, 3), (3, 1)))
"""For atoms of 4 x 64 x 4: no extent is a power of two throughout."""


def mfma(*arguments: Any) -> Callable[[], Any]:
    return lambda: fx.rocdl.MFMA(*arguments)


def wmma(*arguments: Any, **flags: bool) -> Callable[[], Any]:
    return lambda: fx.rocdl.WMMA(*arguments, **flags)


SIGNED = {"signA": True, "signB": True}
CASES = {
    "f32, two blocks": ("gfx90a", mfma(32, 32, 1, fx.Float32), "f32", "f32", PLAIN, None),
    "f32, four blocks, waves": ("gfx942", mfma(16, 16, 1, fx.Float32), "f32", "f32", WAVES, None),
    "f32, sixteen blocks": ("gfx950", mfma(4, 4, 1, fx.Float32), "f32", "f32", WAVES, None),
    "f16, two blocks, permuted": ("gfx942", mfma(32, 32, 4, fx.Float16), "f16", "f32", PLAIN, K_SPLIT),
    "f16, sixteen blocks, permuted": ("gfx942", mfma(4, 4, 4, fx.Float16), "f16", "f32", PLAIN, WIDE),
    "bf16, two blocks or one": ("gfx90a", mfma(32, 32, 4, fx.BFloat16), "bf16", "f32", WAVES, None),
    "bf16, two blocks": ("gfx950", mfma(32, 32, 4, fx.BFloat16), "bf16", "f32", WAVES, None),
    "bf16, four blocks": ("gfx90a", mfma(16, 16, 2, fx.BFloat16), "bf16", "f32", PLAIN, None),
    "i8, sixteen blocks": ("gfx942", mfma(4, 4, 4, fx.Int8), "i8", "i32", PLAIN, WIDE),
    "f64": ("gfx942", mfma(16, 16, 4, fx.Float64), "f64", "f64", WAVES, INTERLEAVED),
    "f64, four blocks": ("gfx90a", mfma(4, 4, 4, fx.Float64), "f64", "f64", WAVES, None),
    "f16, permuted": ("gfx942", mfma(16, 16, 16, fx.Float16), "f16", "f32", WAVES, K_SPLIT),
    "f16, interleaved": ("gfx950", mfma(16, 16, 32, fx.Float16), "f16", "f32", PLAIN, INTERLEAVED),
    "fp8 of gfx942": ("gfx942", mfma(32, 32, 16, fx.Float8E5M2FNUZ), "f8E5M2FNUZ", "f32", PLAIN, K_SPLIT),
    "gfx11 f16": ("gfx1100", wmma(16, 16, 16, fx.Float16), "f16", "f32", WAVES, INTERLEAVED),
    "gfx11 f16 sums": ("gfx1100", wmma(16, 16, 16, fx.Float16, fx.Float16), "f16", "f16", PLAIN, None),
    "gfx11 i8": ("gfx1100", wmma(16, 16, 16, fx.Int8, **SIGNED), "i8", "i32", PLAIN, K_SPLIT),
    "gfx12 bf16 sums": ("gfx1201", wmma(16, 16, 16, fx.BFloat16, fx.BFloat16), "bf16", "bf16", WAVES, None),
    "gfx12 fp8": ("gfx1201", wmma(16, 16, 16, fx.Float8E4M3FN), "f8E4M3FN", "f32", WAVES, INTERLEAVED),
    "gfx12 i8": ("gfx1201", wmma(16, 16, 16, fx.Int8, **SIGNED), "i8", "i32", PLAIN, K_SPLIT),
    "gfx1250 f32": ("gfx1250", wmma(16, 16, 4, fx.Float32), "f32", "f32", WAVES, INTERLEAVED),
    "gfx1250 f16 sums": ("gfx1250", wmma(16, 16, 32, fx.Float16, fx.Float16), "f16", "f16", WAVES, INTERLEAVED),
    "gfx1250 bf16": ("gfx1250", wmma(16, 16, 32, fx.BFloat16), "bf16", "f32", PLAIN, K_SPLIT),
    "gfx1250 bf8": ("gfx1250", wmma(16, 16, 64, fx.Float8E5M2), "f8E5M2", "f32", WAVES, None),
    "gfx1250 fp8": ("gfx1250", wmma(16, 16, 128, fx.Float8E4M3FN, fx.Float16), "f8E4M3FN", "f16", PLAIN, None),
    "gfx1250 i8": ("gfx1250", wmma(16, 16, 64, fx.Int8, **SIGNED), "i8", "i32", WAVES, INTERLEAVED),
}


def permutation_of(entries: Any) -> Any:
    """A tile of layouts, made where there is a trace or none."""
    if entries is None:
        return None
    return fx.make_tile(*[None if entry is None else fx.make_layout(*entry) for entry in entries])


def operands(
    rng: np.random.Generator, kinds: tuple[str, str], size: tuple[int, int, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """a with gaps between its rows, b, c to be written, and the product: whole numbers, so that it is exact."""
    (m, n, k), (dtype, accumulator) = size, (KINDS[kind][1] for kind in kinds)
    a, b = (rng.integers(-2, 3, shape) for shape in ((m, 2 * k), (n, k)))
    expected = (a[:, :k] @ b.T).astype(np.float64)
    c = np.full((m, n), 99).astype(accumulator)
    return a.astype(np.float32).astype(dtype)[:, :k], b.astype(np.float32).astype(dtype), c, expected


@pytest.mark.parametrize("name", CASES)
def test_a_tiled_product_of_any_size(name: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    chip, op, kind, acc, layout, permutation = CASES[name]
    hipsim.use(chip)
    matmul = matmul_of(op, layout, permutation_of(permutation), (1, 1, 2))
    for size in ((1, 1, 1), (37, 67, 41)):
        a, b, c, expected = operands(rng, (kind, acc), size)
        matmul(a, b, c)
        np.testing.assert_array_equal(c.astype(np.float64), expected)


@pytest.mark.parametrize("name", ["f32, sixteen blocks", "f16, two blocks, permuted", "f64, four blocks", "gfx1250 i8"])
def test_tiled_copies_fill_and_empty_the_fragments(name: str, hipsim: HipsimBench, rng: np.random.Generator) -> None:
    chip, op, kind, acc, layout, permutation = CASES[name]
    hipsim.use(chip)
    matmul = copied_matmul_of(op, layout, permutation_of(permutation), (1, 1, 1))
    a, b, c, expected = operands(rng, (kind, acc), (128, 256, 128))
    matmul(a, b, c)
    np.testing.assert_array_equal(c.astype(np.float64), expected)


def product_of_4_bits(op: Callable[[], Any], wave: int) -> Any:
    """C = A @ B.T of whole tiles of numbers of 4 bits, which a and b hold as Int32."""

    @flyc.kernel
    def kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        tiled = fx.make_tiled_mma(fx.make_mma_atom(op()), fx.make_layout(*WAVES), permutation_of(INTERLEAVED))
        thread = tiled.get_slice(fx.thread_idx.x)
        part_a, part_b, part_c = thread.partition_A(a), thread.partition_B(b), thread.partition_C(c)
        frag_a, frag_b = tiled.make_fragment_A(part_a), tiled.make_fragment_B(part_b)
        frag_c = tiled.make_fragment_C(part_c)
        frag_a.store(part_a.load().to(fx.Int4))
        frag_b.store(part_b.load().to(fx.Int4))
        frag_c.fill(0)
        fx.gemm(tiled, frag_c, frag_a, frag_b, frag_c)
        part_c.store(frag_c.load())

    @flyc.jit
    def launch(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
        kernel(a, b, c).launch(grid=1, block=4 * wave)

    return launch


@pytest.mark.parametrize(("chip", "depth"), [("gfx1100", 16), ("gfx1201", 16), ("gfx1201", 32)])
@pytest.mark.parametrize("signed", [False, True])
def test_a_tile_of_integers_of_4_bits(
    chip: str, depth: int, signed: bool, hipsim: HipsimBench, rng: np.random.Generator
) -> None:
    hipsim.use(chip)
    low, high = (-8, 8) if signed else (0, 16)
    a, b = (rng.integers(low, high, shape).astype(np.int32) for shape in ((64, 2 * depth), (32, 2 * depth)))
    c = np.full((64, 32), 99, np.int32)
    op = wmma(16, 16, depth, fx.Int4, signA=signed, signB=signed)
    product_of_4_bits(op, 32)(*[flyc.from_dlpack(array) for array in (a, b, c)])
    np.testing.assert_array_equal(c, a @ b.T)
