"""Random control flow as kernels on the CPU and simulated AMD GPUs: what they compute equals what Python computes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run
from support.source_modules import module_of

ROOT = Path(__file__).resolve().parents[2]
WHAT = "random kernels"
TARGETS = ("cpu", "gfx942", "gfx950", "gfx1201")
PROCESSES, CHUNK, TOGETHER = 2, 200, 10
"""Processes at a time, programs of one process, programs of one kernel: a compilation costs more than a program."""
THREADS = 16

Chunk = tuple[str, int, int]
"""The target, the seed, and the number of programs."""


def run(count: int, seed: int) -> Outcome:
    """`count` programs on every target."""
    starts = range(0, count, CHUNK)
    chunks = [(target, seed * 100_003 + start, min(CHUNK, count - start)) for start in starts for target in TARGETS]
    failures = [failure for wrong in _in_processes(chunks) for failure in wrong]
    figures: dict[str, float | str] = {"targets": ", ".join(TARGETS)}
    return Outcome(WHAT, count * len(TARGETS), len(failures), figures, tuple(failures[:5]))


def _in_processes(chunks: list[Chunk]) -> Iterator[list[str]]:
    """What fails in each chunk; a process that dies is one failure, and the next chunks get another one."""
    waiting = list(chunks)
    while waiting:
        with ProcessPoolExecutor(PROCESSES, get_context("spawn"), max_tasks_per_child=1) as pool:
            started = [(chunk, pool.submit(failures_of, chunk)) for chunk in waiting]
            waiting = []
            for chunk, future in started:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    waiting.append(chunk)
        if waiting:  # one by one, so that the process that dies is known
            with ProcessPoolExecutor(1, get_context("spawn")) as alone:
                try:
                    yield alone.submit(failures_of, waiting[0]).result()
                except BrokenProcessPool:
                    yield [f"{waiting[0]}: the process died"]
            del waiting[0]


def failures_of(chunk: Chunk) -> list[str]:
    """The programs of a chunk that are wrong on its target, as text; for a process that has done nothing else."""
    target, seed, count = chunk
    is_simulated = target != "cpu"
    os.environ.update(
        {"FLYDSL_COMPILE_BACKEND": "rocm", "FLYDSL_RUNTIME_KIND": "hipsim", "FLYDSL_HIPSIM": target}
        if is_simulated
        else {"FLYDSL_COMPILE_BACKEND": "cpu"}
    )
    with TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        programs = random_programs(seed, count)
        groups = [programs[start : start + TOGETHER] for start in range(0, count, TOGETHER)]
        wrong: list[str] = []
        for group in groups:
            if _failure(group, Path(folder)):  # in which of them?
                alone = [(program, _failure([program], Path(folder))) for program in group]
                found = [f"{target}, seed {seed}: {failure}\n{program}" for program, failure in alone if failure]
                wrong += found or [f"{target}, seed {seed}: only together:\n" + "\n".join(group)]
    return wrong


def random_programs(seed: int, count: int) -> list[str]:
    """Sources of functions, the same for a seed on every target."""
    import hypothesis

    found: list[str] = []

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=count,
        phases=[hypothesis.Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(module_of(ROOT / "integration-tests/kernels/test_random_programs.py").programs())
    def collect(program: str) -> None:
        found.append(program)

    collect()
    return found


def _failure(programs: Sequence[str], folder: Path) -> str:
    """What is wrong with what a kernel of these programs computes; nothing when it is what Python computes."""
    try:
        functions = [function_of(program, folder) for program in programs]
        found = computed(functions)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"
    expected = [[function(n) for n in range(THREADS)] for function in functions]
    return "" if found == expected else f"{found} instead of {expected}"


def computed(functions: Sequence[Callable[[Any], Any]]) -> list[list[int]]:
    """Row k: what function k gives for the number of each thread."""
    host, (y,) = prepared(functions)
    host(y)
    return [[int(value) for value in row] for row in y]


def prepared(functions: Sequence[Callable[[Any], Any]]) -> tuple[Any, tuple[Any]]:
    """A `@jit` function that computes these, and the array for what they give."""
    import numpy as np

    import flydsl.compiler as flyc
    import flydsl.expr as fx

    count = len(functions)

    @flyc.kernel
    def kernel(y: fx.Tensor):
        for k in fx.range_constexpr(count):
            y[k, fx.thread_idx.x] = functions[k](fx.thread_idx.x)

    @flyc.jit
    def host(y: fx.Tensor):
        kernel(y).launch(grid=1, block=THREADS)

    return host, (np.full((count, THREADS), -99, np.int32),)


def function_of(program: str, folder: Path) -> Callable[[Any], Any]:
    """The function of a program's text, which is kept in the folder."""
    path = folder / f"program_{len(list(folder.glob('program_*.py')))}.py"
    path.write_text(program)
    return module_of(path).function  # type: ignore[no-any-return]


if __name__ == "__main__":
    chosen = long_run(__doc__, 10_000)
    run(chosen.count, chosen.seed).print()
