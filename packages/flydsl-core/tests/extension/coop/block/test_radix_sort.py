"""Sorts of blocks in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_keys_and_values_are_sorted(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockRadixSort[(fx.Uint8, fx.Int32), 64, 2]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        keys, values = P((x[2 * i], x[2 * i + 1]), (2 * i, 2 * i + 1), storage=storage, descending=True)
        for k in fx.range_constexpr(2):
            y[0, 2 * i + k], y[1, 2 * i + k] = fx.Int32(keys[k]), values[k]

    x = rng.integers(0, 40, 128).astype(np.uint8)
    y = np.zeros((2, 128), np.int32)
    launch(run, x, y, block=64)
    order = np.argsort(-x.astype(int), kind="stable")
    np.testing.assert_array_equal(y, [x[order], order])


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda P, v: P((v, v), storage=None), TypeError, "sorts 1 keys a thread, found 2"),
        (lambda P, v: P(v, v, storage=None), TypeError, "sorts None values|is one of"),
        (lambda P, v: P(v, storage=None, begin_bit=4, end_bit=4), ValueError, "are none of keys of 32 bits"),
        (lambda P, v: P(v, storage=None, end_bit=33), ValueError, "are none of keys of 32 bits"),
    ],
)
def test_wrong_calls_are_refused(emitted: Any, use: Any, error: Any, message: str) -> None:
    P: Any = fx.coop.BlockRadixSort[fx.Int32, 32]
    with pytest.raises(error, match=message):
        emitted(lambda v: use(P, v), fx.Int32)
