"""Histograms of blocks in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_items_are_counted(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockHistogram[fx.Int32, 32, 2, 40]
        counters: Any = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 40])
        P((x[2 * i], x[2 * i + 1]), counters)
        fx.barrier()
        y[i] = counters[i]
        if i < 8:
            y[32 + i] = counters[32 + i]

    x = rng.integers(0, 40, 64).astype(np.int32)
    y = np.zeros(40, np.int32)
    launch(run, x, y)
    np.testing.assert_array_equal(y, np.bincount(x, minlength=40))


def test_bins_and_items_are_checked(emitted: Any) -> None:
    with pytest.raises(ValueError, match="takes the number of bins"):
        fx.coop.BlockHistogram[fx.Int32, 32, 1, 0]
    P: Any = fx.coop.BlockHistogram[fx.Int32, 32, 2, 4]
    with pytest.raises(TypeError, match="counts 2 items a thread, found 1"):
        emitted(lambda v: P.composite(v, None), fx.Int32)
