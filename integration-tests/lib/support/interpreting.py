"""A kernel and arrays in, one interpreted launch out; and where a report has to point."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 32


def launch(kernel: Any, *arrays: np.ndarray, grid: Any = 1, block: Any = N, smem: int | None = None) -> None:
    """Interpret one launch of `kernel`."""
    if len(arrays) == 1:

        @flyc.jit
        def host(x: fx.Tensor):
            kernel(x).launch(grid=grid, block=block, smem=smem)

    else:

        @flyc.jit
        def host(x: fx.Tensor, y: fx.Tensor):
            kernel(x, y).launch(grid=grid, block=block, smem=smem)

    flyc.interpret(host)(*arrays)


def line_of(file: str, marker: str) -> int:
    """The line of a file that ends with a comment."""
    lines = Path(file).read_text().splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if line.endswith(f"  # {marker}")]
    return found
