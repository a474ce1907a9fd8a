"""Compilations that workers do: processes of this machine, or an executor that a program names."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import NamedTuple, NoReturn, TypeAlias

from flydsl.base.errors import ArgumentError, FlyDSLError

Factory: TypeAlias = Callable[[int], Executor]
"""An executor of so many workers."""


class Job(NamedTuple):
    """The words of a command line, and where they stand."""

    words: tuple[str, ...]
    place: str


class Done(NamedTuple):
    """What a worker gives back: its seconds, an error or nothing, and what was made."""

    seconds: float
    error: str
    result: bytes = b""


class Outcome(NamedTuple):
    """What became of a job."""

    job: Job
    done: Done

    @property
    def error(self) -> str:
        """The error, or nothing."""
        return self.done.error


Work: TypeAlias = Callable[[Sequence[str], str], Done]
"""Does the job of these words and this place in a worker: a function of a module, which raises nothing."""


def processes(workers: int) -> Executor:
    """Fresh processes of this machine: what this one has imported is not taken along."""
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def done(jobs: Sequence[Job], work: Work, make: Factory, workers: int) -> Iterator[Outcome]:
    """Each job as it ends. What was lost with its worker is tried once more, alone in an executor of its own."""
    lost = []
    with make(max(1, min(workers, len(jobs)))) as executor:
        futures = {executor.submit(work, job.words, job.place): job for job in jobs}
        for future in as_completed(futures):
            if future.exception() is None:
                yield Outcome(futures[future], future.result())
            else:
                lost.append(futures[future])
    for job in lost:
        with make(1) as executor:
            future = executor.submit(work, job.words, job.place)
            error = future.exception()
            yield Outcome(job, Done(0.0, f"its worker was lost twice: {error}") if error else future.result())


def told(make: Callable[[], bytes]) -> Done:
    """What `make` gives, or the error that it raises, of the user's file too: others go on."""
    start = time.perf_counter()
    try:
        result = make()
    except Exception as error:
        name = "" if isinstance(error, FlyDSLError) else f"{type(error).__name__}: "
        return Done(time.perf_counter() - start, f"{name}{error}")
    return Done(time.perf_counter() - start, "", result)


class JobParser(argparse.ArgumentParser):
    """A parser of the words of a job: ArgumentError instead of the end of the process."""

    def error(self, message: str) -> NoReturn:
        raise ArgumentError(message)

    def parsed(self, words: Sequence[str], place: str) -> argparse.Namespace:
        """The options; ArgumentError that names the place."""
        try:
            return self.parse_args(words)
        except ArgumentError as error:
            raise ArgumentError(f"{place}: {error}") from None


def check_workers(workers: int) -> None:
    """ArgumentError for fewer than one worker."""
    if workers < 1:
        raise ArgumentError(f"--jobs is at least 1, found {workers}")
