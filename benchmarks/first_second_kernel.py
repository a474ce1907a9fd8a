"""A small kernel compiled for gfx942 in this process; prints the times of its stages, wall and CPU, as a line of JSON.

The framework that the first argument names (torch, numpy) is imported before the clock starts, as programs that call
kernels have it already.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module


def now() -> tuple[float, float]:
    """Seconds by the wall clock, and of processor time (user and system, all threads)."""
    return time.perf_counter(), time.process_time()


framework = import_module(sys.argv[1])
x, y = framework.zeros(1000, dtype=framework.float32), framework.zeros(1000, dtype=framework.float32)
BEGIN = now()

import flydsl.compiler as flyc  # noqa: E402
import flydsl.expr as fx  # noqa: E402

IMPORTED = now()


@flyc.kernel
def scale_kernel(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32) -> None:
    """The kernel of the README."""
    i = fx.block_idx.x * 256 + fx.thread_idx.x
    if i < fx.get_scalar(fx.size(x)):
        y[i] = x[i] * factor


@flyc.jit
def scale(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32) -> None:
    """y = factor * x."""
    scale_kernel(x, y, factor).launch(grid=fx.ceil_div(fx.size(x), 256), block=256)


@flyc.jit
def scale_again(x: fx.Tensor, y: fx.Tensor, factor: fx.Float32) -> None:
    """Another function, which needs code of its own."""
    scale_kernel(x, y, factor * 2.0).launch(grid=fx.ceil_div(fx.size(x), 256), block=256)


def main() -> None:
    """Call both functions and print the times."""
    start = now()
    scale(x, y, 2.0)
    first = now()
    scale_again(x, y, 2.0)
    second = now()
    spans = {"import": (BEGIN, IMPORTED), "first call": (start, first), "next kernel": (first, second)}
    times = {name: [(b - a) * 1e3 for a, b in zip(*span, strict=True)] for name, span in spans.items()}
    times["import + first call"] = [a + b for a, b in zip(times["import"], times["first call"], strict=True)]
    print(json.dumps(times))


if __name__ == "__main__":
    main()
