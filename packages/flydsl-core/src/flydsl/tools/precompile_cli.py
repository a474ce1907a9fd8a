"""`flydsl precompile FILE`: many kernels into the compile cache, by processes of this machine or of others."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple, TypeAlias

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.base.references import resolve_reference
from flydsl.tools.compile_request import EPILOG, CompileRequest, add_arguments

Factory: TypeAlias = Callable[[int], Executor]
_EPILOG = f"""each line of FILE: what `flydsl compile` takes, and nothing of what it shows
  kernels.py:add --arg 'f32(?):(1)' --arg 'f32(?):(1)' --backend cpu

{EPILOG}"""


class Job(NamedTuple):
    """A line of the file: its words, and where it stands."""

    words: tuple[str, ...]
    place: str


class Outcome(NamedTuple):
    """What became of a job: seconds in the worker, and an error or nothing."""

    job: Job
    seconds: float
    error: str


def main(argv: Sequence[str] | None = None) -> int:
    """Compile every job; 0 when all are in the cache, 1 when one failed."""
    parser = argparse.ArgumentParser(
        prog="flydsl precompile", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the jobs, one a line; `-` is standard input")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="workers (default: all processors)")
    parser.add_argument(
        "--executor",
        metavar="MODULE:FACTORY",
        help="function from the number of workers to a concurrent.futures executor (default: processes here)",
    )
    options = parser.parse_args(argv)
    try:
        if options.jobs < 1:
            raise ArgumentError(f"--jobs is at least 1, found {options.jobs}")
        jobs = read_jobs(options.file)
        make = processes if options.executor is None else resolve_reference(options.executor)
        outcomes = list(_shown(precompiled(jobs, make, options.jobs)))
    except (FlyDSLError, OSError, ImportError, AttributeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    failed = sum(bool(outcome.error) for outcome in outcomes)
    print(f"{len(outcomes) - failed} kernels in the cache, {failed} failed")
    return int(bool(failed))


def read_jobs(file: Path) -> list[Job]:
    """The jobs of a file; ArgumentError with the line of one that cannot be read."""
    text = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    jobs = []
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{file}:{number}"
        try:
            words = tuple(shlex.split(line, comments=True))
        except ValueError as error:
            raise ArgumentError(f"{place}: {error}: {line!r}") from None
        if words:
            _parsed(words, place)
            jobs.append(Job(words, place))
    return jobs


def processes(workers: int) -> Executor:
    """Fresh processes of this machine: what this one has imported is not taken along."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def precompiled(jobs: Sequence[Job], make: Factory, workers: int) -> Iterator[Outcome]:
    """Each job as it ends. What was lost with its worker is tried once more, alone in an executor of its own."""
    lost = []
    with make(max(1, min(workers, len(jobs)))) as executor:
        futures = {executor.submit(precompile, job.words, job.place): job for job in jobs}
        for future in as_completed(futures):
            if future.exception() is None:
                yield Outcome(futures[future], *future.result())
            else:
                lost.append(futures[future])
    for job in lost:
        with make(1) as executor:
            future = executor.submit(precompile, job.words, job.place)
            error = future.exception()
            yield Outcome(job, 0.0, f"its worker was lost twice: {error}") if error else Outcome(job, *future.result())


def precompile(words: Sequence[str], place: str) -> tuple[float, str]:
    """Run in a worker: one job; its seconds, and its error or nothing."""
    start = time.perf_counter()
    try:
        CompileRequest.of(_parsed(words, place)).artifact()
    except Exception as error:  # of the user's file too: it is told, and others go on
        name = "" if isinstance(error, FlyDSLError) else f"{type(error).__name__}: "
        return time.perf_counter() - start, f"{name}{error}"
    return time.perf_counter() - start, ""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> None:  # type: ignore[override]
        raise ArgumentError(message)


def _parsed(words: Sequence[str], place: str) -> argparse.Namespace:
    parser = _Parser(add_help=False)
    add_arguments(parser)
    try:
        return parser.parse_args(words)
    except ArgumentError as error:
        raise ArgumentError(f"{place}: {error}") from None


def _shown(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    for outcome in outcomes:
        name = " ".join(outcome.job.words)
        print(f"failed {name}\n{outcome.error}" if outcome.error else f"{outcome.seconds:6.2f} s  {name}", flush=True)
        yield outcome
