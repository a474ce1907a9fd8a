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
def bytes_kernel(x: fx.Tensor, n: fx.Tensor, powers: fx.Tensor, zeros: fx.Tensor):
    i = fx.thread_idx.x
    powers[i] = fx.ipowi(x[i], n[i])
    zeros[i] = fx.cttz(x[i])


@flyc.jit
def of_bytes(x: fx.Tensor, n: fx.Tensor, powers: fx.Tensor, zeros: fx.Tensor):
    bytes_kernel(x, n, powers, zeros).launch(grid=1, block=64)


@pytest.mark.parametrize("chip", ["gfx942", "gfx1100", "gfx1201"])
def test_bytes_in_registers_of_which_a_half_is_undefined_pass_every_check(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    hipsim.set_check("all")
    x, n = np.arange(-32, 32, dtype=np.int8), np.arange(64, dtype=np.int8) % 9
    powers, zeros = np.zeros_like(x), np.zeros_like(x)
    of_bytes(x, n, powers, zeros)
    np.testing.assert_array_equal(powers, (x.astype(np.int64) ** n).astype(np.int8))
    np.testing.assert_array_equal(zeros, [((v & -v).bit_length() - 1) % 9 for v in x.tolist()])
