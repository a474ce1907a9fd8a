"""Triton's kernels for the cases of `memory_cases.py`: a block for each row or tile, as its tutorials write them."""

# ruff: noqa: N803
# Constants of Triton's kernels have capital letters.
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import triton
import triton.language as tl
from memory_cases import ROW_KERNELS, Case

EPSILON = 1e-5
Call = Callable[[], Any]


@triton.jit
def add_kernel(a, b, y, n, BLOCK: tl.constexpr):
    offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = offset < n
    tl.store(y + offset, tl.load(a + offset, mask=mask) + tl.load(b + offset, mask=mask), mask=mask)


@triton.jit
def copy_kernel(a, y, n, BLOCK: tl.constexpr):
    offset = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + offset, tl.load(a + offset, mask=offset < n), mask=offset < n)


@triton.jit
def softmax_kernel(x, y, n, LOG: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + column, mask=column < n, other=-float("inf")).to(tl.float32)
    values = values - tl.max(values, 0)
    weights = tl.exp(values)
    total = tl.sum(weights, 0)
    result = values - tl.log(total) if LOG else weights / total
    tl.store(y + row * n + column, result.to(y.dtype.element_ty), mask=column < n)


@triton.jit
def rmsnorm_kernel(x, weight, y, n, epsilon, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + column, mask=column < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(values * values, 0) / n + epsilon)
    factor = tl.load(weight + column, mask=column < n, other=0.0).to(tl.float32)
    tl.store(y + row * n + column, (values * scale * factor).to(y.dtype.element_ty), mask=column < n)


@triton.jit
def layernorm_kernel(x, weight, bias, y, n, epsilon, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + column, mask=column < n, other=0.0).to(tl.float32)
    away = tl.where(column < n, values - tl.sum(values, 0) / n, 0.0)
    scale = tl.rsqrt(tl.sum(away * away, 0) / n + epsilon)
    factor = tl.load(weight + column, mask=column < n, other=0.0).to(tl.float32)
    shift = tl.load(bias + column, mask=column < n, other=0.0).to(tl.float32)
    tl.store(y + row * n + column, (away * scale * factor + shift).to(y.dtype.element_ty), mask=column < n)


@triton.jit
def transpose_kernel(x, y, rows, columns, BLOCK: tl.constexpr):
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.load(x + i[:, None].to(tl.int64) * columns + j[None, :])
    tl.store(y + j[:, None].to(tl.int64) * rows + i[None, :], tl.trans(tile))


@triton.jit
def histogram_kernel(x, y, n, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    counts = tl.zeros([256], tl.int32)
    for step in range(STEPS):
        offset = (tl.program_id(0).to(tl.int64) * STEPS + step) * BLOCK + tl.arange(0, BLOCK)
        value = tl.load(x + offset, mask=offset < n, other=-1.0)
        which = tl.minimum((value * 256).to(tl.int32), 255)
        counts += tl.histogram(which, 256, mask=(value >= 0) & (value <= 1))
    tl.atomic_add(y + tl.arange(0, 256), counts)


def calls(case: Case, t: Mapping[str, torch.Tensor]) -> dict[str, Call]:
    """Launches of the kernel of a case, by the number of warps or the size of a block."""
    y = t["y"]
    if case.name in ROW_KERNELS:
        return {f"{warps} warps": _row(case, t, warps) for warps in (4, 8, 16, 32)}
    if case.name == "add":
        return {
            f"block {size}": lambda size=size: add_kernel[(triton.cdiv(y.numel(), size),)](
                t["a"], t["b"], y, y.numel(), BLOCK=size
            )
            for size in (1024, 2048, 4096)
        }
    if case.name == "copy":
        return {
            f"block {size}": lambda size=size: copy_kernel[(triton.cdiv(y.numel(), size),)](
                t["a"], y, y.numel(), BLOCK=size
            )
            for size in (1024, 2048, 4096)
        }
    if case.name == "transpose":
        rows, columns = t["x"].shape
        return {
            f"tile {size}, {warps} warps": lambda size=size, warps=warps: transpose_kernel[
                (columns // size, rows // size)
            ](t["x"], y, rows, columns, BLOCK=size, num_warps=warps)
            for size, warps in ((32, 4), (64, 4), (64, 8), (128, 8))
        }
    if case.name == "histogram":

        def histogram(block: int = 4096, steps: int = 16) -> None:
            y.zero_()
            grid = (triton.cdiv(t["x"].numel(), block * steps),)
            histogram_kernel[grid](t["x"], y, t["x"].numel(), STEPS=steps, BLOCK=block, num_warps=8)

        return {"block 4096": histogram}
    return {}


def _row(case: Case, t: Mapping[str, torch.Tensor], warps: int) -> Call:
    n, grid = t["x"].shape[1], (t["x"].shape[0],)
    block = triton.next_power_of_2(n)
    if case.name == "rmsnorm":
        return lambda: rmsnorm_kernel[grid](t["x"], t["weight"], t["y"], n, EPSILON, BLOCK=block, num_warps=warps)
    if case.name == "layernorm":
        return lambda: layernorm_kernel[grid](
            t["x"], t["weight"], t["bias"], t["y"], n, EPSILON, BLOCK=block, num_warps=warps
        )
    is_logarithm = case.name == "log_softmax"
    return lambda: softmax_kernel[grid](t["x"], t["y"], n, LOG=is_logarithm, BLOCK=block, num_warps=warps)
