"""Distinct kernels compiled for gfx942 by threads of one process: wall milliseconds a kernel, by number of threads.

Run: `python benchmarks/bench_parallel.py [--repeat N] [--kernels N] [--json FILE]`. Each number is the best of several
fresh processes, which take turns; the first compilation of each, with its imports, is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import Row, report

THREADS = (1, 2, 4)


def compile_kernels(threads: int, count: int) -> dict[str, float]:
    """Milliseconds a kernel, wall and CPU, of this process."""
    import numpy as np

    import flydsl.compiler as flyc
    import flydsl.expr as fx

    @flyc.kernel
    def terms_kernel(x: fx.Tensor, y: fx.Tensor, terms: fx.Constexpr[int]) -> None:
        """A sum of so many terms."""
        i = fx.block_idx.x * 256 + fx.thread_idx.x
        total = fx.Float32(0.0)
        for term in fx.range_constexpr(terms):
            total = fx.math.exp2(total + x[i + term] * float(term + 1))
        y[i] = total

    @flyc.jit
    def terms_of(x: fx.Tensor, y: fx.Tensor, terms: fx.Constexpr[int]) -> None:
        """Its launch."""
        terms_kernel(x, y, terms).launch(grid=4, block=256)

    x = np.zeros(4096, np.float32)
    terms_of(x, x, 1)
    wall, cpu = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda terms: terms_of(x, x, terms), range(8, 8 + count)))
    return {"wall": (time.perf_counter() - wall) * 1e3 / count, "CPU": (time.process_time() - cpu) * 1e3 / count}


def run(threads: int, count: int) -> dict[str, float]:
    """What a fresh process with an empty cache says."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {
            **os.environ,
            "COMPILE_ONLY": "1",
            "FLYDSL_COMPILE_ARCH": "gfx942",
            "FLYDSL_COMPILE_BACKEND": "rocm",
            "FLYDSL_RUNTIME_CACHE_DIR": cache,
        }
        command = [sys.executable, str(Path(__file__).resolve()), "--threads", str(threads), "--kernels", str(count)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    times: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kernels", type=int, default=12)
    parser.add_argument("--threads", type=int, help="measure in this process, and print JSON")
    parser.add_argument("--json", type=Path, help="file to write the rows to")
    options = parser.parse_args()
    if options.threads is not None:
        print(json.dumps(compile_kernels(options.threads, options.kernels)))
        return
    runs = {threads: [] for threads in THREADS}
    for _ in range(options.repeat):
        for threads in THREADS:
            runs[threads].append(run(threads, options.kernels))
    rows = []
    for threads, times in runs.items():
        rows += [Row(f"{threads} threads, {kind}", min(time[kind] for time in times), "ms") for kind in times[0]]
    report(f"{options.kernels} kernels, {os.cpu_count()} processors: milliseconds a kernel", rows, options)


if __name__ == "__main__":
    main()
