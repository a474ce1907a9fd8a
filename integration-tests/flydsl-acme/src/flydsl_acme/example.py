"""A kernel on AcmeArray, as a user of the plugin writes it."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def double_kernel(a: fx.Tensor, b: fx.Tensor) -> None:
    """One element a thread."""
    i = fx.block_idx.x * 16 + fx.thread_idx.x
    b[i] = a[i] + a[i]


@flyc.jit
def double(a: fx.Tensor, b: fx.Tensor) -> None:
    """Two blocks of 16 threads."""
    double_kernel(a, b).launch(grid=(2, 1, 1), block=(16, 1, 1))
