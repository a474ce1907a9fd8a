"""Sorts by comparisons, in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_a_number_of_keys_that_is_no_power_of_two_is_sorted(rng: np.random.Generator) -> None:
    @flyc.kernel
    def run(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockMergeSort[fx.Int32, 8, 3]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        keys = P.stable_sort([x[3 * i + k] for k in fx.range_constexpr(3)], storage=storage, descending=True)
        for k in fx.range_constexpr(3):
            y[3 * i + k] = keys[k]

    x = rng.integers(-9, 9, 24).astype(np.int32)
    y = np.zeros_like(x)
    launch(run, x, y, block=8)
    np.testing.assert_array_equal(y, np.sort(x)[::-1])


def test_wrong_numbers_of_keys_and_values_are_refused(emitted: Any) -> None:
    P: Any = fx.coop.BlockMergeSort[fx.Int32, 8, 2]
    for use in (lambda v: P.sort(v, storage=None), lambda v: P.sort((v, v), (v, v), storage=None)):
        with pytest.raises(TypeError, match="sorts 2 keys a thread and None values"):
            emitted(use, fx.Int32)
