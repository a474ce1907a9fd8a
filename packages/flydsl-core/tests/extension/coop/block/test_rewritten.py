"""Rewritten functions of the library."""

from __future__ import annotations

import numpy as np
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.rewritten import rewritten


def doubled_below(value: fx.Int32, limit: int) -> fx.Int32:
    result = value
    if value < limit:
        result = value * 2
    return result


def test_a_function_branches_on_values_of_the_device() -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        y[fx.thread_idx.x] = rewritten(doubled_below)(fx.thread_idx.x, 3)

    y = np.zeros(32, np.int32)
    launch(run, y)
    index = np.arange(32)
    np.testing.assert_array_equal(y, np.where(index < 3, 2 * index, index))


def test_it_is_made_once() -> None:
    assert rewritten(doubled_below) is rewritten(doubled_below) is not doubled_below
