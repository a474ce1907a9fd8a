"""Jobs of a file on any executor, by the fakes."""

from __future__ import annotations

from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.cache.store import default_store
from flydsl.testing.fake_toolchain import FakeToolchain
from flydsl.tools.jobs import Job, done, processes
from flydsl.tools.precompile_cli import main, precompile, read_jobs

SOURCE = """
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def store(x: fx.Tensor, n: fx.Constexpr[int]):
    x[0] = n

@flyc.jit
def fill(x: fx.Tensor, n: fx.Constexpr[int]):
    store(x, n).launch(grid=1, block=1)
"""


def threads(workers: int) -> Executor:
    return ThreadPoolExecutor(workers)


class Losing(ThreadPoolExecutor):
    """Loses the worker of every job whose words it is told."""

    lost: tuple[str, ...] = ()

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        if arguments[0] != self.lost:
            return super().submit(function, *arguments, **named)
        future: Future[Any] = Future()
        future.set_exception(RuntimeError("the worker is gone"))
        return future


@pytest.fixture
def file(tmp_path: Path, fake_device: FakeToolchain) -> Path:
    (tmp_path / "precompiled_program.py").write_text(SOURCE)
    jobs = tmp_path / "jobs"
    lines = [f"{tmp_path}/precompiled_program.py:fill --arg 'i32[4]' --arg ={n}" for n in range(3)]
    jobs.write_text("# three of one function\n\n" + "\n".join(lines))
    return jobs


def test_each_job_is_in_the_cache(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), "-j", "1", "--executor", "concurrent.futures:ThreadPoolExecutor"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 kernels in the cache, 0 failed"
    assert len([item for item in default_store().stored() if item.kind == "entry"]) == 3


def test_lines_have_their_places(file: Path) -> None:
    assert [job.place for job in read_jobs(file)] == [f"{file}:{line}" for line in (3, 4, 5)]
    file.write_text("a.py:f --arg f32\nb.py:f --emit isa")
    with pytest.raises(ArgumentError, match=r"jobs:2: unrecognized arguments: --emit isa"):
        read_jobs(file)


@pytest.mark.parametrize("times", [1, 2])
def test_a_lost_job_is_tried_once_more(file: Path, times: int) -> None:
    jobs = read_jobs(file)
    made: list[Losing] = []

    def make(workers: int) -> Executor:
        made.append(Losing(workers))
        made[-1].lost = jobs[1].words if len(made) <= times else ()
        return made[-1]

    outcomes = {outcome.job: outcome.error for outcome in done(jobs, precompile, make, 1)}
    assert len(made) == 2
    assert outcomes.pop(jobs[1]) == ("its worker was lost twice: the worker is gone" if times == 2 else "")
    assert outcomes == {jobs[0]: "", jobs[2]: ""}


def test_an_error_of_the_program_is_that_jobs(tmp_path: Path, fake_device: FakeToolchain) -> None:
    (tmp_path / "wrong.py").write_text("1 / 0\n")
    job = Job((f"{tmp_path}/wrong.py:f",), "jobs:1")
    (outcome,) = done([job], precompile, threads, 1)
    assert outcome.error == "ZeroDivisionError: division by zero"


def test_the_default_is_processes() -> None:
    with processes(1) as executor:
        assert executor.submit(int, "3").result() == 3
