"""Every variable of the settings table with values that nobody means, each in a program of its own."""

from __future__ import annotations

import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.hostile_settings import attempts, problem_of
from support.long_run import Outcome, long_run

WHAT = "hostile settings"


def run(count: int, seed: int) -> Outcome:
    """`count` of them, in the order of `seed`."""
    everything = attempts()
    chosen = random.Random(seed).sample(everything, min(count, len(everything)))
    with ThreadPoolExecutor(2) as threads:
        problems = [problem for problem in threads.map(problem_of, chosen) if problem]
    return Outcome(WHAT, len(chosen), len(problems), {"of all": len(everything)}, tuple(problems[:5]))


if __name__ == "__main__":
    options = long_run(__doc__, 300)
    print(f"seed {options.seed}")
    run(options.count, options.seed).print()
