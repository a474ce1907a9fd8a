"""Random kernels on rows of memory: the CPU and simulated AMD GPUs beside the interpreter, bit for bit."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

WHAT = "random memory"
TARGETS = ("cpu", "cpu", "cpu", "gfx942", "gfx1100")
"""The programs of a chunk run on one: the CPU, whose loops over threads LLVM reorders, on three of five."""
PROCESSES, CHUNK = 2, 100


def run(count: int, seed: int) -> Outcome:
    """`count` programs, each on one target."""
    starts = range(0, count, CHUNK)
    chunks = [
        (TARGETS[i % len(TARGETS)], seed * 1_000_003 + start, min(CHUNK, count - start))
        for i, start in enumerate(starts)
    ]
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), max_tasks_per_child=1) as pool:
        failures = [failure for wrong in pool.map(failures_of, chunks) for failure in wrong]
    on = {target: sum(size for name, _, size in chunks if name == target) for target in dict.fromkeys(TARGETS)}
    return Outcome(WHAT, count, len(failures), {**on}, tuple(failures[:10]))


def failures_of(chunk: tuple[str, int, int]) -> list[str]:
    """The programs of a chunk that are wrong on its target, as text; for a process that has done nothing else."""
    target, seed, count = chunk
    os.environ["FLYDSL_COMPILE_BACKEND"] = "cpu" if target == "cpu" else "rocm"
    if target != "cpu":
        os.environ.update({"FLYDSL_RUNTIME_KIND": "hipsim", "FLYDSL_HIPSIM": target})
    os.environ["FLYDSL_RUNTIME_ENABLE_CACHE"] = "0"
    from support.random_memory import program

    wrong: list[str] = []
    with TemporaryDirectory() as folder:
        for number in range(seed, seed + count):
            tried = program(number)
            try:
                different = tried.differences(Path(folder), number)
            except Exception as error:
                wrong.append(f"{target}, program {number}: {type(error).__name__}: {str(error)[:300]}\n{tried.text}")
            else:
                if different:
                    wrong.append(f"{target}, program {number}: {different} numbers differ\n{tried.text}")
    return wrong


if __name__ == "__main__":
    chosen = long_run(__doc__, 12_000)
    run(chosen.count, chosen.seed).print()
