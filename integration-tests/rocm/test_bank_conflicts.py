"""Predicted bank conflicts against those that a simulated GPU counts while it executes the same code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.examples import load_example

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl_hipsim
from flydsl_hipsim.bench import HipsimBench

CHIPS = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
BLOCK = 256


def compared(function: Any, arguments: list[Any], chip: str, hipsim: HipsimBench) -> tuple[int, int]:
    """(predicted for a wave, times the waves; counted by the simulator) of a launch of one kernel."""
    (report,) = function.trace(*arguments, arch=chip).lower().compile().report()
    assert report.conflicts["unknown accesses"] == 0
    assert report.conflicts["known accesses"] > 0
    flydsl_hipsim.clear_profile()
    hipsim.set_check("profile")
    function(*arguments)
    (profile,) = flydsl_hipsim.profile()
    return report.conflicts["passes"] * profile.waves, profile.lds_conflicts


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("values", [1, 2, 4])
@pytest.mark.parametrize("stride", [1, 2, 8, 32, 33, 36])
def test_strided_rows_of_shared_memory(stride: int, values: int, chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    step = -(-stride // values) * values

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        thread = fx.thread_idx.x
        tile = fx.SharedAllocator().allocate(fx.Array[fx.Float32, 64 * step])
        rows = tile.view(fx.make_layout((values, 64), (1, step)))
        atom = fx.make_copy_atom(fx.UniversalCopy(32 * values), fx.Float32)
        registers = fx.make_rmem_tensor(values, fx.Float32)
        registers.fill(x[thread])
        fx.copy(atom, registers, rows[None, thread % 64])
        fx.barrier()
        fx.copy(atom, rows[None, (thread + 5) % 64], registers)
        y[thread] = registers[0]

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=2, block=BLOCK)

    x = np.ones(BLOCK, np.float32)
    predicted, counted = compared(host, [x, np.zeros_like(x)], chip, hipsim)
    assert predicted == counted
    assert predicted > 0 or stride not in (8, 32)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_transpose_of_the_examples(chip: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    x = np.ones((64, 96), np.float32)
    predicted, counted = compared(
        load_example("06_shared_memory_transpose").transpose, [x, np.zeros((96, 64), np.float32)], chip, hipsim
    )
    assert predicted == counted
