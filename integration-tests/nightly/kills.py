"""Processes on one cache folder, killed while they compile and publish: nothing of what stays is wrong or lost."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.cached_kernel import cache_in, counted_compilations, scaled
from support.long_run import Outcome, long_run
from support.other_user import forked

from flydsl.cache.store import default_store
from flydsl.compiler.options.target_options import tools

WHAT = "processes killed while they compile"
PROCESSES = 4
_FACTORS = tuple(float(n) for n in range(2, 10))


def run(count: int, seed: int) -> Outcome:
    """Kill `count` processes, some at a time, at random moments; after each round every kernel must be right."""
    chance = random.Random(seed)
    failures: list[str] = []
    killed = entries = leftovers = recompiled = 0
    with TemporaryDirectory() as folder, cache_in(Path(folder, "cache")) as cache:
        scaled(1.0)  # what children begin with: everything imported, LLVM loaded
        begin = time.monotonic()
        scaled(1.5)
        longest = 3 * PROCESSES * (time.monotonic() - begin)
        while killed < count:
            if chance.random() < 0.8:
                default_store().clear()
            here = min(PROCESSES, count - killed)
            children = [forked(partial(_compile_for_ever, chance.randrange(1 << 32))) for _ in range(here)]
            time.sleep(chance.uniform(0.0, longest))
            for child in children:
                os.kill(child, signal.SIGKILL)
            ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
            failures += [f"a process ended by itself with status {end}" for end in ends if end != -signal.SIGKILL]
            killed += here
            entries += len(list(cache.rglob("*.entry")))
            leftovers += len(list(cache.rglob("*.tmp")))
            wrong, made = _wrong()
            recompiled += made
            failures += wrong
        default_store().clear()
        if left := sorted(str(path.relative_to(cache)) for path in cache.rglob("*")):
            failures.append(f"clear left {left}")
    figures: dict[str, float | str] = {
        "entries met": entries,
        "compiled again": recompiled,
        "temporary files": leftovers,
    }
    return Outcome(WHAT, count, len(failures), figures, tuple(failures[:5]))


def _wrong() -> tuple[list[str], int]:
    """What is wrong with what the killed processes left, and how many kernels had to be compiled."""
    made_by = tools("cpu")
    with counted_compilations() as made:
        found = {factor: scaled(factor) for factor in _FACTORS}
    wrong = [f"{value} instead of {7 * factor}" for factor, value in found.items() if value != 7 * factor]
    with counted_compilations() as again:
        for factor in _FACTORS:
            scaled(factor)
    if again and tools("cpu") == made_by:  # the compiler was not reinstalled meanwhile
        wrong.append(f"{len(again)} of {len(_FACTORS)} entries were not kept")
    return wrong, len(made)


def _compile_for_ever(seed: int) -> None:
    """Compile, publish, evict and clear, as several programs on one folder do."""
    chance = random.Random(seed)
    while True:
        factor = chance.choice(_FACTORS)
        assert scaled(factor) == 7 * factor
        if chance.random() < 0.05:
            default_store().clear()


if __name__ == "__main__":
    chosen = long_run(__doc__, 200)
    run(chosen.count, chosen.seed).print()
