"""Kernels that unroll 100 to 10,000 loads in, processor seconds of their compilation out: ours, and MLIR's and LLVM's.

`summed` adds each element as it is loaded, `kept` loads all of them before it stores the first, so that more values
live than there are registers: LLVM's greedy register allocator then takes time that grows faster than their number,
and `basic` is the same with `llvm_options={"vgpr-regalloc": "basic"}` (gfx only).
Run: `python benchmarks/bench_unrolled.py [--target cpu | gfx942] [--loads N ...] [--forms NAME ...] [--json FILE]`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from bench_stages import measure

import flydsl.compiler as flyc
import flydsl.expr as fx

LOADS = (100, 300, 1000, 3000, 10000)
FORMS = ("summed", "kept", "basic")
THREADS = 256


def summed(loads: int) -> Any:
    """A thread adds up the elements of its row."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        row = fx.block_idx.x * THREADS + fx.thread_idx.x
        total = fx.Float32(0)
        for column in fx.range_constexpr(loads):
            total = total + x[row, column]
        y[row, 0] = total

    return launched(kernel)


def kept(loads: int) -> Any:
    """A thread doubles the elements of its row, all of which it has loaded before."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        row = fx.block_idx.x * THREADS + fx.thread_idx.x
        values = [x[row, column] for column in range(loads)]
        for column in fx.range_constexpr(loads):
            y[row, column] = values[column] * 2.0

    return launched(kernel)


def launched(kernel: Any) -> Any:
    """A function that launches the kernel on some rows."""

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=4, block=THREADS)

    return launch


def row(form: str, loads: int, backend: str, arch: str) -> dict[str, Any]:
    """Seconds of one compilation."""
    function = summed(loads) if form == "summed" else kept(loads)
    if form == "basic":
        function.compile_hints = {"llvm_options": {"vgpr-regalloc": "basic"}}
    shape = (4 * THREADS, loads)
    stages = measure(function, [np.zeros(shape, np.float32), np.zeros(shape, np.float32)], backend, arch)
    ours, theirs = stages["trace"] + stages["lower"], stages["compile"]
    return {"form": form, "loads": loads, "ops": stages["ops"], "ours": ours / 1e3, "llvm": theirs / 1e3}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default="cpu", help="cpu, or an AMD architecture such as gfx942")
    parser.add_argument("--loads", type=int, nargs="+", default=LOADS)
    parser.add_argument("--forms", nargs="+", choices=FORMS, default=FORMS)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    backend, arch = ("cpu", "") if options.target == "cpu" else ("rocm", options.target)
    row("summed", 10, backend, arch)  # what is imported and loaded once
    print(f"{'form':8}{'loads':>8}{'ops':>9}{'ours':>10}{'us an op':>10}{'LLVM':>10}   seconds")
    rows = []
    for form in options.forms:
        if form == "basic" and backend == "cpu":
            continue
        for loads in options.loads:
            found = row(form, loads, backend, arch)
            rows.append(found)
            each = found["ours"] * 1e6 / found["ops"]
            print(
                f"{form:8}{loads:8}{found['ops']:9}{found['ours']:10.2f}{each:10.0f}{found['llvm']:10.2f}", flush=True
            )
    if options.json is not None:
        options.json.write_text(json.dumps({"target": options.target, "rows": rows}, indent=1))


if __name__ == "__main__":
    main()
