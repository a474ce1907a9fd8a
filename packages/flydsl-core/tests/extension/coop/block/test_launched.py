"""The block of a launch and of an algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.extension.coop.block.launched import require_block


def test_another_size_is_named_with_what_to_write() -> None:
    @flyc.kernel
    def run(y: fx.Tensor):
        require_block("Sum", (8, 2, 1))
        y[fx.thread_idx.x + 8 * fx.thread_idx.y] = 1

    launch(run, np.zeros(16, np.int32), block=(8, 2))
    text = r"Sum is specialised for blocks of \(8, 2, 1\) threads, and the kernel is launched with blocks of 16; write "
    with pytest.raises(ValueError, match=text + r"Sum\[..., 16\] or launch with block=\(8, 2, 1\)"):
        launch(run, np.zeros(16, np.int32), block=16)
