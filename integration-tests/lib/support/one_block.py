"""What one block of threads computes of an array, element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 256
"""Threads of the block."""


def run(body: Callable[[Any, Any], Any], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`body(i, x[i])` of one block of threads, as elements of `y`."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = body(i, x[i])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=N)

    host(x, y)
    return y
