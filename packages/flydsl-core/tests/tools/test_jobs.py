"""Jobs, their outcomes, and what becomes of errors."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from flydsl.base.errors import ArgumentError, CompileError
from flydsl.tools.jobs import Done, Job, JobParser, check_workers, done, told


def echo(words: Sequence[str], place: str) -> Done:
    return told(lambda: f"{place}: {' '.join(words)}".encode())


def test_each_job_gives_what_its_work_made() -> None:
    jobs = [Job(("a", "b"), "one"), Job(("c",), "two")]
    results = {outcome.job: outcome.done.result for outcome in done(jobs, echo, ThreadPoolExecutor, 8)}
    assert results == {jobs[0]: b"one: a b", jobs[1]: b"two: c"}


@pytest.mark.parametrize(
    ("error", "text"), [(CompileError("too large"), "too large"), (KeyError("x"), "KeyError: 'x'")]
)
def test_an_error_is_told(error: Exception, text: str) -> None:
    def fail() -> bytes:
        raise error

    assert told(fail).error == text
    assert not told(fail).result


def test_a_bad_word_names_its_place() -> None:
    with pytest.raises(ArgumentError, match=r"jobs:3: unrecognized arguments: --colour"):
        JobParser().parsed(["--colour"], "jobs:3")


def test_there_is_a_worker() -> None:
    check_workers(1)
    with pytest.raises(ArgumentError, match="at least 1, found 0"):
        check_workers(0)
