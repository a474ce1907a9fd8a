"""Random calls of `fx.coop` on the CPU, in the interpreter and on simulated AMD GPUs, against NumPy."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

WHAT = "random collectives"
WAVES = {"cpu": 32, "interpreter": 32, "gfx942": 64, "gfx1100": 32}
PROCESSES, CHUNK = 2, 50

Chunk = tuple[str, int, int]
"""The target, the seed, and the number of cases."""


def run(count: int, seed: int) -> Outcome:
    """`count` cases on every target."""
    starts = range(0, count, CHUNK)
    chunks = [(target, seed * 100_003 + start, min(CHUNK, count - start)) for start in starts for target in WAVES]
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), max_tasks_per_child=1) as pool:
        failures = [failure for wrong in pool.map(failures_of, chunks) for failure in wrong]
    figures: dict[str, float | str] = {"targets": ", ".join(WAVES)}
    return Outcome(WHAT, count * len(WAVES), len(failures), figures, tuple(failures[:5]))


def failures_of(chunk: Chunk) -> list[str]:
    """The cases of a chunk that are wrong on its target, as text; for a process that has done nothing else."""
    target, seed, count = chunk
    is_simulated = target.startswith("gfx")
    os.environ.update(
        {"FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_RUNTIME_KIND": "hipsim", "FLYDSL_HIPSIM": target}
        if is_simulated
        else {"FLYDSL_COMPILE_BACKEND": "cpu"}
    )
    with TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        from support.random_cooperation import failure, random_cases

        import flydsl.compiler as flyc

        made = flyc.interpret if target == "interpreter" else lambda function: function
        found = [failure(case, WAVES[target], made) for case in random_cases(seed, count)]
    return [f"{target}: {text}" for text in found if text]


if __name__ == "__main__":
    chosen = long_run(__doc__, 400)
    run(chosen.count, chosen.seed).print()
