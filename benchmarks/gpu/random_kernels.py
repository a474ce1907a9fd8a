"""Random kernels on a GPU, right or wrong: numbers, arithmetic, collectives, and kernels without each promise to LLVM.

    python benchmarks/gpu/random_kernels.py [--seconds 300] [--seed N] [KIND ...]

The machine needs a GPU, NumPy, ml_dtypes, FlyDSL with `flydsl-mlir` (a self-contained wheel where no LLVM is), and this
repository. The generators are those of the nightly runs. Processes of all cores compile, and the seed is of the day.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "integration-tests/lib"), str(Path(__file__).parent)]

WARP, NUMBERS, CASES, SHOWN = 32, 256, 10, 10
"""Threads of a warp, pairs of numbers of a type, collectives of one seed, and findings that are printed."""
MOST = 100_000
"""Seeds that are handed out at most: the time ends before."""


@dataclass(frozen=True, slots=True)
class Job:
    """One seed of a kind, which is not begun after `end`, in seconds of `time.time`."""

    kind: str
    seed: int
    end: float


def exact_numbers(seed: int, folder: Path) -> list[str]:
    """Operations and conversions of one type against exact fractions."""
    from support.arithmetic_rules import rules_of
    from support.exact_numbers import KINDS
    from support.number_checks import wrong_conversions, wrong_operations

    kinds = list(KINDS.values())
    kind = kinds[seed % len(kinds)]
    wrong = wrong_operations(kind, seed, NUMBERS, run=None) if rules_of(kind) else []
    return wrong + wrong_conversions(kind, kinds, seed, NUMBERS, run=None)


def arithmetic(seed: int, folder: Path) -> list[str]:
    """A program of operations on all types against NumPy."""
    from support.random_arithmetic import check

    check(seed, folder)
    return []


def collectives(seed: int, folder: Path) -> list[str]:
    """Calls of `fx.coop` with odd sizes against NumPy."""
    from support.random_cooperation import failure, random_cases

    return [text for case in random_cases(seed, CASES) if (text := failure(case, WARP, lambda function: function))]


def promises(seed: int, folder: Path) -> list[str]:
    """One kernel with and without the promises to LLVM."""
    from support.promises.cases import case
    from support.promises.session import Session

    session = Session("cuda", "cuda")
    session.look_at(case(seed, seed, folder))
    return [f"without {row.promise}: {text}" for row in session.rows.values() for text in row.differences]


KINDS: Mapping[str, Callable[[int, Path], list[str]]] = {
    "numbers": exact_numbers,
    "arithmetic": arithmetic,
    "collectives": collectives,
    "promises": promises,
}


def main() -> int:
    options = arguments()
    print(f"seeds from {options.seed}")
    os.environ["FLYDSL_COMPILE_BACKEND"] = "cuda"
    total = 0
    for kind in options.kinds:
        end = time.time() + options.seconds / len(options.kinds)
        jobs = (Job(kind, options.seed + number, end) for number in count())
        done, findings = 0, list[str]()
        with ProcessPoolExecutor(None, get_context("spawn"), initializer=prepare) as pool:
            for found in in_order(pool, jobs, end):
                done += found is not None
                findings += found or []
        total += len(findings)
        print(f"{kind:12} {done:6} seeds, {len(findings)} findings", *findings[:SHOWN], sep="\n  ", flush=True)
    return total > 0


def arguments() -> argparse.Namespace:
    """The options; of the kinds all when none is named."""
    from support.day import seed_of_the_day

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=seed_of_the_day() * 1000)
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    unknown = set(options.kinds) - set(KINDS)
    if unknown:
        parser.error(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    options.kinds = options.kinds or list(KINDS)
    return options


def in_order(pool: ProcessPoolExecutor, jobs: Iterable[Job], end: float) -> Iterable[list[str] | None]:
    """What each job finds, until `end`; jobs are handed out a batch at a time."""
    jobs = islice(jobs, MOST)
    while time.time() < end and (batch := list(islice(jobs, 8 * (os.cpu_count() or 1)))):
        yield from pool.map(findings_of, batch)


def prepare() -> None:
    """Let kernels take NumPy arrays that go to the GPU with each call, and cache in a folder of this process."""
    import kernel_tests

    warnings.simplefilter("ignore")
    os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = mkdtemp(prefix="flydsl-random-")
    kernel_tests.pytest_configure(None)  # type: ignore[arg-type]
    kernel_tests.register()


def findings_of(job: Job) -> list[str] | None:
    """What is wrong with a seed, an exception too; None when the time is over."""
    if time.time() > job.end:
        return None
    with TemporaryDirectory() as folder:
        try:
            found: list[Any] = KINDS[job.kind](job.seed, Path(folder))
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
    return [f"seed {job.seed}: {text}" for text in found]


if __name__ == "__main__":
    raise SystemExit(main())
