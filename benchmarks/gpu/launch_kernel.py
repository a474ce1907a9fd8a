"""A sum of arrays, one element for each thread, whose launch is measured."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 256


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor) -> None:
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(c)):
        c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor, stream: fx.Stream = fx.Stream(None)) -> None:
    """c = a + b."""
    add_kernel(a, b, c).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(c)), BLOCK), block=BLOCK, stream=stream)
