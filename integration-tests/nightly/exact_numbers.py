"""Operations and conversions of all numeric types against exact arithmetic: on the CPU, simulated AMD GPUs, folded and
interpreted.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.arithmetic_rules import rules_of
from support.exact_numbers import KINDS
from support.long_run import Outcome, long_run

WHAT = "exact numbers"
MODES = ("cpu", "gfx942", "gfx1100", "gfx950", "gfx1201", "interpreted", "folded")
PROCESSES, NUMBERS = 2, 256
"""Processes at a time, and pairs of numbers of each kind; each seed has others."""

Chunk = tuple[str, str, int]
"""The mode, the kind of numbers, and the seed."""


def run(count: int, seed: int) -> Outcome:
    """`count` seeds of every kind in every mode."""
    chunks = [(mode, kind, seed + turn) for turn in range(count) for mode in MODES for kind in KINDS]
    failures = [failure for wrong in _in_processes(chunks) for failure in wrong]
    figures: dict[str, float | str] = {"numbers": NUMBERS, "modes": ", ".join(MODES)}
    return Outcome(WHAT, len(chunks), len(failures), figures, tuple(failures[:5]))


def _in_processes(chunks: list[Chunk]) -> Iterator[list[str]]:
    """What is wrong in each chunk: a process for each mode, as a process has one stack."""
    for mode in MODES:
        with ProcessPoolExecutor(PROCESSES, get_context("spawn"), initializer=_prepare, initargs=(mode,)) as pool:
            yield from pool.map(failures_of, [chunk for chunk in chunks if chunk[0] == mode])


def _prepare(mode: str) -> None:
    is_simulated = mode.startswith("gfx")
    os.environ.update(
        {"FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_RUNTIME_KIND": "hipsim", "FLYDSL_HIPSIM": mode}
        if is_simulated
        else {"FLYDSL_COMPILE_BACKEND": "cpu"}
    )


def failures_of(chunk: Chunk) -> list[str]:
    """What is wrong with the numbers of a kind in a mode, as text."""
    mode, name, seed = chunk
    with TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        try:
            return [f"{mode}: {failure}" for failure in _wrong(mode, name, seed)]
        except Exception as error:  # a kind that does not compile is a failure, and not the end
            return [f"{mode}: {name}, seed {seed}: {type(error).__name__}: {error}"]


def _wrong(mode: str, name: str, seed: int) -> list[str]:
    from support.number_checks import wrong_conversions, wrong_operations, wrong_static

    kind = KINDS[name]
    if mode == "folded":
        return wrong_static(kind, seed, NUMBERS)
    launch = _interpreted if mode == "interpreted" else None
    wrong = wrong_operations(kind, seed, NUMBERS, run=launch) if rules_of(kind) else []
    return wrong + wrong_conversions(kind, list(KINDS.values()), seed, NUMBERS, run=launch)


def _interpreted(host: Any, *arrays: Any) -> None:
    import flydsl.compiler as flyc

    flyc.interpret(host)(*arrays)


if __name__ == "__main__":
    options = long_run(__doc__, 4)
    print(f"seeds {options.seed} to {options.seed + options.count - 1}")
    run(options.count, options.seed).print()
