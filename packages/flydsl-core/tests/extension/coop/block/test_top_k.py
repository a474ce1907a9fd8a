"""The largest and the smallest keys of a block, in the interpreter."""

from __future__ import annotations

import numpy as np
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_pairs_come_by_their_keys(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockTopK[(fx.Uint8, fx.Int32), 32]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        _, y[0, i] = P.max_pairs(x[i], i, 4, storage=storage)
        _, y[1, i] = P.min_pairs(x[i], i, 4, storage=storage)

    x = rng.permutation(200)[:32].astype(np.uint8)
    y = np.zeros((2, 32), np.int32)
    launch(run, x, y)
    np.testing.assert_array_equal(y[:, :4], [np.argsort(x)[::-1][:4], np.argsort(x)[:4]])
