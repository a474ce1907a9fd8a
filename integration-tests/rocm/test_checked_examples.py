"""Every example runs on simulated GPUs of either kind without anything for the simulator's checks to find."""

from __future__ import annotations

import numpy as np
import pytest
from support.examples import EXAMPLES, SIZES, load_example

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_hipsim.bench import HipsimBench


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_an_example_passes_every_check(chip: str, name: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example(name)
    hipsim.set_check("all")
    hipsim.set_order("random:3")
    for size in SIZES[name]:
        example.check(np.random.default_rng(1), *size)


@flyc.kernel
def powers_kernel(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = fx.ipowi(x[i], n[i])


@flyc.jit
def powers(x: fx.Tensor, n: fx.Tensor, y: fx.Tensor):
    powers_kernel(x, n, y).launch(grid=1, block=64)


@pytest.mark.parametrize("chip", ["gfx1100", "gfx1201"])
def test_dual_selections_of_half_registers_pass_every_check(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    hipsim.set_check("all")
    x, n = np.arange(-32, 32, dtype=np.int8), np.arange(64, dtype=np.int8) % 9
    y = np.zeros_like(x)
    powers(x, n, y)
    np.testing.assert_array_equal(y, (x.astype(np.int64) ** n).astype(np.int8))
