"""Kernels of the examples on the CPU backend side by side with NumPy and torch; how many times as fast as those.

Ours and the other run in turn in one process, for a while each, as threads of the one before go on spinning after its
last call. The best of each counts, and a ratio of 1 means equal time for equal work: equal bandwidth for the kernels
bound by memory, equal operations per second for products. NumPy runs on one thread, torch and ours on all, or on as
many as `FLYDSL_CPU_THREADS` says: one tells more of the code on a machine that others use too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu"

import numpy as np
import torch
from example_module import example
from report import Row, main_options, report

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl_cpu.settings import cpu

ROUNDS, TURN = 8, 0.04  # turns of each, seconds of one
ROWS, COLUMNS = 2048, 4096
SMALL_ROWS = 128  # 2 MB: what stays in the caches

Case = tuple[str, float | None, Callable[[], object], Callable[[], object]]
"""Name, budget if there is one, ours, theirs."""


rows_of = example("rows")


@flyc.kernel
def add_rows_kernel(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    row_a, row_b, row_c = [tensor[fx.block_idx.x, None] for tensor in (a, b, c)]
    for index in range(fx.thread_idx.x, fx.get_scalar(fx.ceil_div(a.shape[1], rows_of.VECTOR)), rows_of.block_size()):
        rows_of.store(rows_of.load(row_a, index, 0) + rows_of.load(row_b, index, 0), row_c, index)


@flyc.jit
def add_rows(a: fx.Tensor, b: fx.Tensor, c: fx.Tensor):
    """One block a row, where the tiles of example 01 jump between eight rows."""
    add_rows_kernel(a, b, c).launch(grid=a.shape[0], block=rows_of.block_size())


def matrices(count: int, rows: int, columns: int = COLUMNS) -> list[Any]:
    """Random float32 matrices."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal((rows, columns), dtype=np.float32) for _ in range(count)]


def row_cases(rows: int) -> Iterator[Case]:
    """Kernels bound by memory."""
    a, b, c, d = matrices(4, rows)
    weight, bias = a[0].copy(), b[0].copy()
    x, y, z, w, v = (torch.from_numpy(array) for array in (a, b, c, weight, bias))
    size = f"{rows} x {COLUMNS}"

    add = example("01_vector_add").vector_add
    yield f"add {size} / numpy", 0.8, lambda: add(a, b, c), lambda: np.add(a, b, out=d)
    yield f"add {size} / torch", None, lambda: add(a, b, c), lambda: torch.add(x, y, out=z)

    yield f"add by rows {size} / numpy", 0.8, lambda: add_rows(a, b, c), lambda: np.add(a, b, out=d)
    yield f"add by rows {size} / torch", None, lambda: add_rows(a, b, c), lambda: torch.add(x, y, out=z)

    softmax = example("09_softmax").softmax
    yield f"softmax {size} / numpy", 0.8, lambda: softmax(a, c), lambda: numpy_softmax(a, d)
    yield f"softmax {size} / torch", None, lambda: softmax(a, c), lambda: torch.softmax(x, 1, out=z)

    rmsnorm = example("10_rmsnorm").rmsnorm
    yield f"rmsnorm {size} / numpy", 0.8, lambda: rmsnorm(a, weight, c, 1e-5), lambda: numpy_rmsnorm(a, weight, d)
    rms_norm = torch.nn.functional.rms_norm
    yield f"rmsnorm {size} / torch", None, lambda: rmsnorm(a, weight, c, 1e-5), lambda: rms_norm(x, (COLUMNS,), w, 1e-5)

    layernorm = example("11_layernorm").layernorm
    layer_norm = torch.nn.functional.layer_norm
    yield (
        f"layernorm {size} / torch",
        None,
        lambda: layernorm(a, weight, bias, c, 1e-5),
        lambda: layer_norm(x, (COLUMNS,), w, v, 1e-5),
    )


def numpy_softmax(x: Any, out: Any) -> None:
    """Softmax of rows as NumPy users write it, without temporary arrays where NumPy allows."""
    np.exp(x - x.max(axis=1, keepdims=True), out=out)
    np.divide(out, out.sum(axis=1, keepdims=True), out=out)


def numpy_rmsnorm(x: Any, weight: Any, out: Any) -> None:
    """Root-mean-square normalisation, with the fused dot product that NumPy has."""
    scale = 1 / np.sqrt(np.einsum("ij,ij->i", x, x) / x.shape[1] + np.float32(1e-5))
    np.multiply(x, scale[:, None], out=out)
    np.multiply(out, weight, out=out)


def gemm_cases(size: int) -> Iterator[Case]:
    """Products of square float32 matrices; torch uses its vendor library on all cores."""
    a, b, c = matrices(3, size, size)
    x, y, z = (torch.from_numpy(array) for array in (a, b, c.copy()))
    gemm = example("12_tiled_gemm").gemm
    yield f"gemm {size} / torch", 0.5, lambda: gemm(a, b, c), lambda: torch.mm(x, y, out=z)


def measure(case: Case) -> list[Row]:
    """The ratio of the best times, and our time."""
    name, budget, ours, theirs = case
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for function, found in zip((ours, theirs), times, strict=True):
            function()  # the first of a turn wakes threads
            end = perf_counter() + TURN
            while (start := perf_counter()) < end:
                function()
                found.append(perf_counter() - start)
    mine, other = (min(found) for found in times)
    return [Row(name, other / mine, "x", budget), Row(f"    time of {name.split(' /')[0]}", mine * 1e3, "ms")]


def main() -> None:
    options = main_options(__doc__)
    flyc.use_pair("cpu")
    if threads := cpu.threads:
        torch.set_num_threads(threads)
    cases = [*row_cases(ROWS), *row_cases(SMALL_ROWS), *gemm_cases(1024), *gemm_cases(511)]
    rows = [row for case in cases for row in measure(case)]
    report(f"CPU backend on {torch.get_num_threads()} threads: times as fast", rows, options)


if __name__ == "__main__":
    main()
