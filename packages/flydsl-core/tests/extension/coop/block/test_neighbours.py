"""Neighbours of items of a block, in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_differences_and_runs(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        D = fx.coop.BlockAdjacentDifference[fx.Int32, 64, 2]
        R = fx.coop.BlockDiscontinuity[fx.Int32, 64, 2]
        storage = fx.SharedAllocator().allocate(D.SharedStorage).peek()
        vector = fx.Vector.from_elements([x[2 * i], x[2 * i + 1]], fx.Int32)
        differences = D.subtract_left(vector, lambda a, b: a - b, storage=storage)
        fx.barrier()
        heads, tails = R.flag_heads_and_tails(vector, lambda a, b: a != b, storage=storage)
        assert (type(differences), type(heads)) == (fx.Vector, list)
        for k in fx.range_constexpr(2):
            y[0, 2 * i + k], y[1, 2 * i + k] = differences[k], fx.Int32(heads[k])
            y[2, 2 * i + k] = fx.Int32(tails[k])

    x = rng.integers(0, 3, 128).astype(np.int32)
    y = np.zeros((3, 128), np.int32)
    launch(run, x, y, block=64)
    changes = np.diff(x) != 0
    np.testing.assert_array_equal(y, [np.diff(x, prepend=0), [1, *changes], [*changes, 1]])


def test_values_move_between_threads(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockShuffle[fx.Int32, 64]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        y[0, i] = P.offset(x[i], storage=storage)
        fx.barrier()
        y[1, i] = P.rotate(x[i], storage=storage)
        fx.barrier()
        y[2, i] = P.up(x[i], storage=storage)
        fx.barrier()
        y[3, i] = P.down(x[i], storage=storage)

    x = rng.integers(0, 99, 64).astype(np.int32)
    y = np.zeros((4, 64), np.int32)
    launch(run, x, y, block=64)
    down = [*x[1:], x[-1]]
    np.testing.assert_array_equal(y, [down, np.roll(x, -1), [x[0], *x[:-1]], down])


def test_a_wrong_number_of_items_is_refused(emitted: Any) -> None:
    P: Any = fx.coop.BlockDiscontinuity[fx.Int32, 32, 2]
    with pytest.raises(TypeError, match="takes 2 items a thread, found 1"):
        emitted(lambda v: P.flag_heads(v, lambda a, b: a != b, storage=None), fx.Int32)
