"""Exchanges in the interpreter, which reports races."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_items_change_their_arrangement_and_form_stays(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockExchange[fx.Int32, 64, 2]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        vector = fx.Vector.from_elements([x[2 * i], x[2 * i + 1]], fx.Int32)
        striped = P.blocked_to_striped(vector, storage=storage)
        fx.barrier()
        back = P.striped_to_blocked(striped, storage=storage)
        fx.barrier()
        sparse = P.scatter_to_striped_guarded((x[2 * i], x[2 * i + 1]), [2 * i, -1], storage=storage, default=-5)
        assert (type(striped), type(sparse)) == (fx.Vector, tuple)
        for k in fx.range_constexpr(2):
            y[0, 2 * i + k], y[1, 2 * i + k], y[2, 64 * k + i] = striped[k], back[k], sparse[k]

    x = rng.integers(0, 999, 128).astype(np.int32)
    y = np.zeros((3, 128), np.int32)
    launch(run, x, y, block=64)
    np.testing.assert_array_equal(y[0], x.reshape(2, 64).T.reshape(-1))
    np.testing.assert_array_equal(y[1], x)
    np.testing.assert_array_equal(y[2], np.where(np.arange(128) % 2, -5, x))


def test_wrong_numbers_are_refused(emitted: Any) -> None:
    P: Any = fx.coop.BlockExchange[fx.Int32, 32, 2]
    with pytest.raises(TypeError, match="exchanges 2 items a thread, found 1"):
        emitted(lambda v: P.blocked_to_striped(v, storage=None), fx.Int32)
    with pytest.raises(TypeError, match="takes a rank for each of 2 items, found 1"):
        emitted(lambda v: P.scatter_to_blocked((v, v), [0], storage=None), fx.Int32)
    with pytest.raises(TypeError, match="storage= is shared memory"):
        emitted(lambda v: P.blocked_to_striped((v, v), storage=None), fx.Int32)
