"""Runs of blocks in the interpreter, and wrong calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx


def test_runs_given_by_offsets_are_decoded() -> None:
    @flyc.kernel
    def run(x: fx.Tensor, starts: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        P = fx.coop.BlockRunLengthDecode[fx.Int32, 4, 1, 2]
        storage = fx.SharedAllocator().allocate(P.SharedStorage).peek()
        decoder = P.init_with_run_offsets(x[i], starts[i], storage=storage)
        assert decoder.total is None
        items = decoder.decode(3)
        y[2 * i], y[2 * i + 1] = items

    x, starts, y = np.array([7, 8, 9, 5], np.int32), np.array([0, 3, 3, 8], np.int32), np.zeros(8, np.int32)
    launch(run, x, starts, y, block=4)
    assert y.tolist() == [9] * 5 + [5] * 3


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda P, v: P.init_with_run_lengths((v, v), v, storage=None), "has no attribute|1 items a thread, found 2"),
        (lambda P, v: P.init_with_run_offsets((v, v), v, storage=None), "decodes 1 items a thread, found 2"),
        (lambda P, v: P.init_with_run_offsets(v, (v, v), storage=None), "takes 1 integer offsets a thread"),
        (lambda P, v: P.init_with_run_offsets(v, 1.5, storage=None), "takes 1 integer offsets a thread"),
        (lambda P, v: P.init_with_run_offsets(v, v, storage=None), "storage= is shared memory"),
    ],
)
def test_wrong_calls_are_refused(emitted: Any, use: Any, message: str) -> None:
    P: Any = fx.coop.BlockRunLengthDecode[fx.Int32, 32]
    with pytest.raises((TypeError, AttributeError), match=message):
        emitted(lambda v: use(P, v), fx.Int32)
