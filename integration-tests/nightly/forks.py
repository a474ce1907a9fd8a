"""Processes forked while another thread compiles: each compiles, loads and runs kernels of its own, and ends."""

from __future__ import annotations

import faulthandler
import os
import random
import signal
import sys
import threading
import time
from functools import partial
from itertools import count as numbers
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.cached_kernel import cache_in, scaled
from support.long_run import Outcome, long_run
from support.other_user import forked

WHAT = "processes forked while another thread compiles"
TOGETHER = 2
_PATIENCE = 30
"""Seconds until a child counts as hung."""


def run(count: int, seed: int) -> Outcome:
    """Fork `count` children at random moments of compilations."""
    chance, over = random.Random(seed), threading.Event()
    failures: list[str] = []
    with TemporaryDirectory() as folder, cache_in(Path(folder, "cache")):
        thread = threading.Thread(target=_compile_until, args=(over,))
        thread.start()
        try:
            done = 0
            while done < count:
                here = min(TOGETHER, count - done)
                children = []
                for child in range(done, done + here):
                    time.sleep(chance.uniform(0.0, 0.2))
                    children.append(forked(partial(_child, child)))
                done += here
                ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
                failures += [_meaning(end) for end in ends if end]
        finally:
            over.set()
            thread.join()
    return Outcome(WHAT, count, len(failures), {}, tuple(failures[:5]))


def _compile_until(over: threading.Event) -> None:
    for number in numbers(1000):
        if over.is_set():
            return
        scaled(float(number))


def _child(number: int) -> None:
    """Compile what the parent has not, twice: the second one is like what the parent may have been at."""
    faulthandler.register(signal.SIGALRM, chain=True)
    signal.alarm(_PATIENCE)
    factors = [-1.0 - number, -1000.5 - number]
    values = [scaled(factor) for factor in factors]
    expected = [7.0 * factor for factor in factors]
    if values != expected:
        raise AssertionError(f"{values} instead of {expected}")


def _meaning(end: int) -> str:
    return f"a child hung for {_PATIENCE} s" if end == -signal.SIGALRM else f"a child ended with {end}"


if __name__ == "__main__":
    chosen = long_run(__doc__, 500)
    run(chosen.count, chosen.seed).print()
