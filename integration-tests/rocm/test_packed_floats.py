"""One number subtracted from vectors on simulated GPUs: bit for bit as NumPy, in packed instructions."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench

SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-45, 3e38]


@flyc.kernel
def subtraction_kernel(x: fx.Tensor, y: fx.Tensor, number: fx.Float32):
    i = fx.thread_idx.x
    registers, atom = fx.make_rmem_tensor(4, fx.Float32), fx.make_copy_atom(fx.UniversalCopy(128), fx.Float32)
    source, target = (fx.slice(fx.zipped_divide(t, fx.make_tile(4)), (None, i)) for t in (x, y))
    fx.copy(atom, source, registers)
    registers.store(registers.load() - number)
    fx.copy(atom, registers, target)


@flyc.jit
def subtraction(x: fx.Tensor, y: fx.Tensor, number: fx.Float32):
    subtraction_kernel(x, y, number).launch(grid=1, block=64)


@pytest.mark.parametrize("number", [*SPECIAL, 0.1])
@pytest.mark.parametrize("chip", ["gfx90a", "gfx942", "gfx950", "gfx1100"])
def test_differences_are_exact(hipsim: HipsimBench, chip: str, number: float, rng: np.random.Generator) -> None:
    hipsim.use(chip)
    x = np.concatenate([rng.standard_normal(256 - len(SPECIAL)), SPECIAL]).astype(np.float32)
    y = np.zeros_like(x)
    subtraction(x, y, number)
    with np.errstate(invalid="ignore", over="ignore"):
        expected = x - np.float32(number)
    np.testing.assert_array_equal(y, expected)
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(y[there]), np.signbit(expected[there]))


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx950"])
def test_two_lanes_are_subtracted_at_once(arch: str) -> None:
    arguments = np.zeros(256, np.float32), np.zeros(256, np.float32), 1.0
    code = subtraction.trace(*arguments, arch=arch).lower().compile().disassemble()
    assert code.count("v_pk_add_f32") == 2
    assert "v_sub" not in code
