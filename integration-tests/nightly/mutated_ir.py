"""Mutated IR through `fly-opt` in processes of its own: each file ends with a result or with diagnostics."""

from __future__ import annotations

import importlib.util
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from random import Random
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))

from support.long_run import Outcome, long_run

ROOT = Path(__file__).resolve().parents[2]
MUTATIONS = ROOT / "packages/flydsl-mlir/tests/tools/test_fly_opt_fuzz.py"
WHAT = "mutated IR"
PROCESSES, CHUNK = 2, 250
_SECONDS = 120  # no file takes so long: it hangs


def run(count: int, seed: int) -> Outcome:
    """`count` files in two processes."""
    chunks = [range(start, min(start + CHUNK, count)) for start in range(0, count, CHUNK)]
    failures = [failure for wrong in _in_processes(chunks, seed) for failure in wrong]
    return Outcome(WHAT, count, len(failures), {"seeds": len(_texts())}, tuple(failures[:5]))


def _in_processes(chunks: list[range], seed: int) -> Iterator[list[str]]:
    """What fails in each chunk; where a process dies, its files are tried one by one, each in a process."""
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        started = [(chunk, pool.submit(failures_of, chunk, seed)) for chunk in chunks]
        broken = []
        for chunk, future in started:
            try:
                yield future.result()
            except BrokenProcessPool:
                broken.append(chunk)
    for number in (number for chunk in broken for number in chunk):
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            try:
                yield pool.submit(failures_of, range(number, number + 1), seed).result()
            except BrokenProcessPool:
                yield [f"file {number} of seed {seed}: the process died\n{mutated(number, seed)[0]}"]


def failures_of(numbers: range, seed: int) -> list[str]:
    """The files of these numbers that end in another way, as text."""
    signal.signal(signal.SIGALRM, _hang)
    wrong = []
    for number in numbers:
        text, flags = mutated(number, seed)
        signal.alarm(_SECONDS)
        try:
            _mutations().check(text, flags)
        except Exception as error:  # also what the check found
            wrong.append(f"file {number} of seed {seed}: {type(error).__name__}: {str(error)[:2000]}")
        finally:
            signal.alarm(0)
    return wrong


def mutated(number: int, seed: int) -> tuple[str, list[str]]:
    """File `number` of a run, and the passes that it goes through."""
    mutations, random = _mutations(), Random(f"{seed}:{number}")
    if random.random() < 0.4:
        text = mutations.broken_text(random, _texts())
    else:
        text = mutations.senseless_ir(random, _texts())
    passes = mutations.PASSES
    chosen = passes[: random.randint(0, len(passes))] if random.random() < 0.5 else [random.choice(passes)]
    return text, [f"--{name}" for name in chosen]


@cache
def _texts() -> list[str]:
    """Functions of the FileCheck files, and what the kernels of the conformance suite are before and after a pass."""
    return [*_mutations().corpus(), *_traced()]


def _traced() -> list[str]:
    import numpy as np
    from support.matmul import copied_matmul_of, matmul_of

    import flydsl.expr as fx

    def multiplied() -> object:
        return fx.UniversalFMA(fx.Float32)

    arrays = [np.zeros((32, 32), np.float32) for _ in range(3)]
    arrangement = ((4, 8, 1), (8, 1, 1))
    hosts = [
        matmul_of(multiplied, arrangement),
        copied_matmul_of(multiplied, arrangement, None, (2, 1, 4), 2),
    ]
    return [str(host.trace(*arrays, backend="cpu").text) for host in hosts]


@cache
def _mutations() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fly_opt_mutations", MUTATIONS)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _hang(*_: object) -> None:
    raise TimeoutError(f"no answer in {_SECONDS} s")


if __name__ == "__main__":
    chosen = long_run(__doc__, 20_000)
    run(chosen.count, chosen.seed).print()
