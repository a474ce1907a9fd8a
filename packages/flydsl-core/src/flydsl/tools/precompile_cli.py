"""`flydsl precompile FILE`: many kernels into the compile cache, by processes of this machine or of others."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.base.references import resolve_reference
from flydsl.tools.compile_request import EPILOG, CompileRequest, add_arguments
from flydsl.tools.jobs import Done, Factory, Job, JobParser, Outcome, check_workers, done, processes, told

_EPILOG = f"""each line of FILE: what `flydsl compile` takes, and nothing of what it shows
  kernels.py:add --arg 'f32(?):(1)' --arg 'f32(?):(1)' --backend cpu

{EPILOG}"""


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
        check_workers(options.jobs)
        jobs = read_jobs(options.file)
        make = processes if options.executor is None else _factory(options.executor)
        outcomes = list(_shown(done(jobs, precompile, make, options.jobs)))
    except (FlyDSLError, OSError, ImportError, AttributeError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    failed = sum(bool(outcome.error) for outcome in outcomes)
    print(f"{len(outcomes) - failed} kernels in the cache, {failed} failed")
    return int(bool(failed))


def _factory(reference: str) -> Factory:
    """The function that makes executors; ArgumentError for something else, before it is called with any job."""
    make = resolve_reference(reference)

    def checked(workers: int) -> Executor:
        try:
            executor: object = make(workers)
        except Exception as error:
            raise ArgumentError(f"--executor {reference!r} fails: {type(error).__name__}: {error}") from error
        if not isinstance(executor, Executor):
            raise ArgumentError(
                f"--executor {reference!r} gives {executor!r}, expected an executor of concurrent.futures"
            )
        return executor

    return checked


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


def precompile(words: Sequence[str], place: str) -> Done:
    """Run in a worker: one job, whose code stays in the cache."""

    def make() -> bytes:
        CompileRequest.of(_parsed(words, place)).artifact()
        return b""

    return told(make)


def _parsed(words: Sequence[str], place: str) -> argparse.Namespace:
    parser = JobParser(add_help=False)
    add_arguments(parser)
    return parser.parsed(words, place)


def _shown(outcomes: Iterator[Outcome]) -> Iterator[Outcome]:
    for outcome in outcomes:
        name, done_in = " ".join(outcome.job.words), outcome.done.seconds
        print(f"failed {name}\n{outcome.error}" if outcome.error else f"{done_in:6.2f} s  {name}", flush=True)
        yield outcome
