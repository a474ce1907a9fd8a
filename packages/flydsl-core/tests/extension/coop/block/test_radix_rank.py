"""Ranks of blocks in the interpreter, and wrong calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_ranks_are_places_of_a_stable_sort(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockRadixRank[fx.Int32, 64, 2]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        ranks = P.rank(fx.Vector.from_elements([x[2 * i], x[2 * i + 1]], fx.Int32), storage=storage, num_bits=3)
        y[2 * i], y[2 * i + 1] = ranks[0], ranks[1]

    x, y = rng.integers(-99, 99, 128).astype(np.int32), np.zeros(128, np.int32)
    launch(run, x, y, block=64)
    expected = np.empty_like(y)
    expected[np.argsort(x & 7, kind="stable")] = np.arange(128)
    np.testing.assert_array_equal(y, expected)


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda P, v: P.rank((v, v), storage=None), TypeError, "ranks 1 items a thread, found 2"),
        (lambda P, v: P.rank(v, storage=None, begin_bit=32), ValueError, "are no digit of 4 bits of keys of 32 bits"),
        (lambda P, v: P.rank(v, storage=None, num_bits=5), ValueError, "are no digit of 4 bits of keys of 32 bits"),
        (lambda P, v: P.rank(v, storage=None), TypeError, "storage= is shared memory"),
        (lambda P, v: P.with_radix_bits(9), ValueError, "in a block of 32 threads have 1 to 8 bits, found 9"),
        (lambda P, v: P.with_radix_bits(0), ValueError, "found 0"),
        (lambda P, v: fx.coop.BlockRadixRank.rank(v, storage=None), TypeError, "BlockRadixRank"),
    ],
)
def test_wrong_calls_are_refused(emitted: Any, use: Any, error: Any, message: str) -> None:
    P: Any = fx.coop.BlockRadixRank[fx.Int32, 32]
    with pytest.raises(error, match=message):
        emitted(lambda v: use(P, v), fx.Int32)


def test_specialisations_are_kept() -> None:
    P: Any = fx.coop.BlockRadixRank[fx.Int32, 32]
    assert P.with_radix_bits(3) is P.with_radix_bits(3)
    assert (P.radix_bits, P.with_radix_bits(3).radix_bits) == (4, 3)
