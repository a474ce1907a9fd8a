"""Accesses below a limit."""

from __future__ import annotations

import numpy as np
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.guarded import load_below, store_below


def test_nothing_is_accessed_from_the_limit_on() -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i, limit = fx.thread_idx.x, fx.Int32(5)
        store_below(i, limit, y, i, load_below(i, limit - 1, x, i, fx.Int32(-1)))

    x, y = np.arange(10, 14, dtype=np.int32), np.zeros(5, np.int32)
    launch(run, x, y)
    np.testing.assert_array_equal(y, [10, 11, 12, 13, -1])
