"""Reductions of blocks in the interpreter, which reports races and uninitialised memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx

Algorithm = fx.coop.BlockReduceAlgorithm


@pytest.mark.parametrize("algorithm", [Algorithm.WARP_REDUCTIONS, Algorithm.RAKING], ids=lambda one: one.name)
@pytest.mark.parametrize("threads", [1, 16, 32, 64, 96])
def test_every_thread_has_the_result(threads: int, algorithm: Any, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockReduce[fx.Int32, threads, algorithm]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        y[i] = P((x[2 * i], x[2 * i + 1]), fx.ReductionOp.ADD, storage=storage)

    x = rng.integers(-1000, 1000, 2 * threads).astype(np.int32)
    y = np.zeros(threads, np.int32)
    launch(run, x, y, block=threads)
    np.testing.assert_array_equal(y, np.full(threads, x.sum()))


@pytest.mark.parametrize("algorithm", [Algorithm.WARP_REDUCTIONS, Algorithm.RAKING], ids=lambda one: one.name)
def test_the_first_threads_alone_may_take_part(algorithm: Any, rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockReduce[fx.Int32, 96, algorithm]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        y[0, i] = P(x[i], fx.ReductionOp.MAX, storage=storage, valid_items=fx.Int32(37))
        fx.barrier()
        y[1, i] = P(x[i], lambda a, b: fx.max(a, b), storage=storage, valid_items=1)

    x = np.arange(96, dtype=np.int32)
    y = np.zeros((2, 96), np.int32)
    launch(run, x, y, block=96)
    assert (set(y[0]), set(y[1])) == ({36}, {0})


@pytest.mark.parametrize(("algorithm", "barriers"), [(Algorithm.WARP_REDUCTIONS, 1), (Algorithm.RAKING, 2)])
def test_the_number_of_barriers(emitted: Any, algorithm: Any, barriers: int) -> None:
    def run(value: Any) -> Any:
        P = fx.coop.BlockReduce[fx.Int32, 128, algorithm]
        return P(value, fx.ReductionOp.ADD, storage=fx.SharedAllocator().allocate(P.SharedStorage).peek())

    assert emitted(run, fx.Int32).names.count("gpu.barrier") == barriers
    one_warp = fx.coop.BlockReduce
    assert "gpu.barrier" not in emitted(lambda v: one_warp[fx.Int32, 32](v, fx.ReductionOp.ADD), fx.Int32).names
