"""Scans of blocks in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx

Algorithm = fx.coop.BlockScanAlgorithm
Op = fx.ReductionOp


@pytest.mark.parametrize("algorithm", [Algorithm.WARP_SCANS, Algorithm.RAKING], ids=lambda one: one.name)
@pytest.mark.parametrize("threads", [1, 16, 64, 96])
def test_items_have_what_is_before_them(threads: int, algorithm: Any, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockScan[fx.Int32, threads, algorithm]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        pair = fx.Vector.from_elements([x[2 * i], x[2 * i + 1]], fx.Int32)
        inclusive, total = P.inclusive_with_aggregate(pair, Op.ADD, storage=storage)
        fx.barrier()
        exclusive = P.exclusive(pair, Op.ADD, storage=storage, init=7)
        for k in fx.range_constexpr(2):
            y[0, 2 * i + k], y[1, 2 * i + k], y[2, 2 * i + k] = inclusive[k], exclusive[k], total

    x = rng.integers(-1000, 1000, 2 * threads).astype(np.int32)
    y = np.zeros((3, 2 * threads), np.int32)
    launch(run, x, y, block=threads)
    np.testing.assert_array_equal(y, [x.cumsum(), x.cumsum() - x + 7, np.full_like(x, x.sum())])


def test_a_scan_is_not_called(emitted: Any) -> None:
    with pytest.raises(TypeError, match="is not called: use .inclusive"):
        emitted(lambda v: fx.coop.BlockScan[fx.Int32, 32](v, Op.ADD), fx.Int32)


def test_a_start_is_given_once(emitted: Any) -> None:
    def run(value: Any) -> Any:
        P = fx.coop.BlockScan[fx.Int32, 32]
        return P.inclusive(value, Op.ADD, init=1, prefix_callback=lambda total: total)

    with pytest.raises(TypeError, match="either init or prefix_callback"):
        emitted(run, fx.Int32)
