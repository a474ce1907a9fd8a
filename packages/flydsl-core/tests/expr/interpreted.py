"""Kernels run by the interpreter, without a backend."""

from __future__ import annotations

from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx


def launch(kernel: Any, *arrays: np.ndarray, grid: Any = 1, block: Any = 32) -> None:
    """One launch of a kernel of one to three tensors."""

    @flyc.jit
    def one(x: fx.Tensor):
        kernel(x).launch(grid=grid, block=block)

    @flyc.jit
    def two(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=grid, block=block)

    @flyc.jit
    def three(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
        kernel(x, y, z).launch(grid=grid, block=block)

    flyc.interpret((one, two, three)[len(arrays) - 1])(*arrays)
