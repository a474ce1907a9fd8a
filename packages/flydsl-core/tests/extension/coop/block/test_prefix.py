"""Prefixes from a function of the caller."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


@pytest.mark.parametrize("threads", [8, 96])
def test_what_lane_0_of_the_first_warp_gives_counts(threads: int, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockScan[fx.Int32, threads]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        y[i] = P.inclusive(
            x[i], fx.ReductionOp.ADD, storage=storage, prefix_callback=lambda total: total * 1000 + fx.thread_idx.x
        )

    x = rng.integers(-100, 100, threads).astype(np.int32)
    y = np.zeros_like(x)
    launch(run, x, y, block=threads)
    np.testing.assert_array_equal(y, x.sum() * 1000 + x.cumsum())
