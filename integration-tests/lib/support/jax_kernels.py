"""Kernel functions whose tensors are inputs and then outputs, for tests of JAX."""

from __future__ import annotations

import flydsl.compiler as flyc
import flydsl.expr as fx

BLOCK = 32


@flyc.kernel
def add_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(c)):
        c[i] = a[i] + b[i]


@flyc.jit
def add(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """Elements of any rank."""
    add_kernel(a, b, c).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(c)), BLOCK), block=BLOCK)


@flyc.kernel
def reverse_kernel(x: fx.Tensor, y: fx.Tensor):
    n = fx.get_scalar(fx.size(x))
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < n:
        y[n - 1 - i] = x[i]


@flyc.jit
def reverse(x: fx.Tensor, y: fx.Tensor):
    """Wrong when x and y share memory."""
    reverse_kernel(x, y).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(x)), BLOCK), block=BLOCK)


@flyc.kernel
def affine_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32, shift: fx.Constexpr[float]):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(y)):
        y[i] = x[i] * factor + shift


@flyc.jit
def affine(
    x: fx.Tensor,
    factor: fx.Float32,
    y: fx.Tensor,
    shift: fx.Constexpr[float] = 0.0,
    stream: fx.Stream = fx.Stream(None),
):
    affine_kernel(x, y, factor, shift).launch(
        grid=fx.ceil_div(fx.get_scalar(fx.size(y)), BLOCK), block=BLOCK, stream=stream
    )


@flyc.kernel
def sum_and_difference_kernel(a: fx.Tensor, b: fx.Tensor, s: fx.Tensor, d: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(s)):
        s[i] = a[i] + b[i]
        d[i] = a[i] - b[i]


@flyc.jit
def sum_and_difference(a: fx.Tensor, b: fx.Tensor, s: fx.Tensor, d: fx.Tensor):
    sum_and_difference_kernel(a, b, s, d).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(s)), BLOCK), block=BLOCK)


@flyc.kernel
def double_kernel(x: fx.Tensor):
    i = fx.block_idx.x * BLOCK + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        x[i] = x[i] * 2


@flyc.jit
def double(x: fx.Tensor):
    """In place."""
    double_kernel(x).launch(grid=fx.ceil_div(fx.get_scalar(fx.size(x)), BLOCK), block=BLOCK)


@flyc.kernel
def row_sums_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.block_idx.x
    total = fx.Float32(0)
    for j in range(x.shape[1]):
        total += x[i, j]
    y[i] = total


@flyc.jit
def row_sums(x: fx.Tensor, y: fx.Tensor):
    """Of a matrix."""
    row_sums_kernel(x, y).launch(grid=x.shape[0], block=1)


@flyc.kernel
def check_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    assert x[i] < 5.0, "a value of five or more"
    y[i] = x[i]


@flyc.jit
def checked_copy(x: fx.Tensor, y: fx.Tensor):
    """Fails on large values."""
    check_kernel(x, y).launch(grid=1, block=fx.get_scalar(fx.size(x)))
