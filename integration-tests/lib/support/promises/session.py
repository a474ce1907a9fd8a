"""Kernels with and without the promises, on every target: how many carried each, and what differs without it."""

from __future__ import annotations

import ctypes
import itertools
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
from support.promises.cases import Case, arrays, case
from support.promises.rules import PROMISES, Promise, without

TARGETS = {"cpu": "cpu", "gfx942": "rocm", "gfx1100": "rocm", "sm_90a": "cuda"}
"""The backend of each."""
_PROCESSES = 2


@dataclass(slots=True)
class Row:
    """One promise on one target: kernels looked at, those that carried it, and what differs without it."""

    promise: str
    target: str
    tried: int = 0
    carried: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: float = 0.0


class _Results(NamedTuple):
    """The LLVM IR of a kernel's modules, and the arrays of its arguments after a call."""

    texts: list[str]
    arrays: list[np.ndarray]


class Session:
    """The rows of one target, by promise."""

    def __init__(self, target: str, backend: str) -> None:
        self._target, self._backend = target, backend
        promises = [promise for promise in PROMISES if self._backend in promise.backends]
        self.rows = {promise: Row(promise.name, target) for promise in promises}
        self._early = [promise for promise in promises if promise.strip is None]

    def look_at(self, one: Case) -> None:
        """One kernel with all promises; without those in its LLVM IR, all at once; and without one of those that act
        before there is any: they take turns.

        If one of them does not hold, results differ from those without any. Which one it is, is asked one by one.
        """
        expected = self._results(one, [])
        for promise, row in self.rows.items():
            row.tried += promise not in self._early
        carried = [promise for promise in self.rows if promise.is_carried_by(expected.texts)]
        exact = [promise for promise in carried if not promise.tolerance]
        self._compare(one, expected, exact)
        for promise in carried:
            if promise.tolerance:
                self._compare(one, expected, [promise])
        if self._early:
            least = min(self._early, key=lambda promise: self.rows[promise].tried)
            self.rows[least].tried += 1
            self._compare(one, expected, [least])

    def _compare(self, one: Case, expected: _Results, promises: Sequence[Promise]) -> None:
        """Count these promises as carried, if the kernel is another without them, and note what differs."""
        if not promises:
            return
        begin = time.monotonic()
        is_carried, difference = self._without(one, expected, promises)
        guilty = [promises[0]] if difference else []
        if difference and len(promises) > 1:
            alone = {promise: self._without(one, expected, [promise])[1] for promise in promises}
            guilty = [promise for promise in promises if alone[promise]] or guilty
        for promise in guilty:
            self.rows[promise].differences.append(f"{one.name}: {difference}")
        for promise in promises:
            self.rows[promise].carried += is_carried
            self.rows[promise].seconds += (time.monotonic() - begin) / len(promises)

    def _without(self, one: Case, expected: _Results, promises: Sequence[Promise]) -> tuple[bool, str]:
        """Whether LLVM gets other IR without these promises, and how the results differ."""
        try:
            found = self._results(one, promises)
        except Exception as error:
            return True, f"{type(error).__name__}: {str(error)[:300]}"
        tolerance = max(promise.tolerance for promise in promises)
        return found.texts != expected.texts, difference(expected.arrays, found.arrays, tolerance)

    def _results(self, one: Case, promises: Sequence[Promise]) -> _Results:
        """Where there is no device, the code is made, and the arrays stay as they are."""
        texts: list[str] = []
        function, arguments = one.prepare()
        with without(promises, self._backend, texts):
            if self._backend == "cuda" and not _has_nvidia_gpu():
                function.trace(*arguments, backend="cuda", arch=self._target).lower().compile()
            else:
                function(*arguments)
        return _Results(texts, arrays(arguments))


def measured(target: str, seconds: float, seed: int, count: int = 1 << 30) -> list[Row]:
    """The rows of a target, of `count` kernels or as many as `seconds` are enough for, at least one; for a process that
    has done nothing else."""
    os.environ["FLYDSL_COMPILE_BACKEND"] = TARGETS[target]
    if TARGETS[target] == "rocm":
        os.environ.update({"FLYDSL_RUNTIME_KIND": "hipsim", "FLYDSL_HIPSIM": target})
    of_target, end = Session(target, TARGETS[target]), time.monotonic() + seconds
    with TemporaryDirectory() as folder:
        os.environ["FLYDSL_RUNTIME_CACHE_DIR"] = folder
        for number in range(count):
            of_target.look_at(case(number, seed, Path(folder)))
            if time.monotonic() > end:
                break
    return list(of_target.rows.values())


def session(seconds: float, seed: int, targets: Sequence[str] = tuple(TARGETS)) -> Iterator[Row]:
    """The rows of all targets, which share the time."""
    share = seconds * min(_PROCESSES, len(targets)) / len(targets)
    with ProcessPoolExecutor(_PROCESSES, get_context("spawn"), max_tasks_per_child=1) as pool:
        yield from itertools.chain(*pool.map(measured, targets, itertools.repeat(share), itertools.repeat(seed)))


def difference(expected: Sequence[np.ndarray], found: Sequence[np.ndarray], tolerance: float) -> str:
    """How arrays differ by more than `tolerance` times the largest number of each; nothing when they do not."""
    for number, (one, other) in enumerate(zip(expected, found, strict=True)):
        x, y = (array if array.dtype.kind in "iub" else array.astype(np.float64) for array in (one, other))
        is_different = x != y
        if x.dtype.kind == "f":
            largest = np.max(np.abs(x), initial=0.0, where=np.isfinite(x))
            is_different = ~np.isclose(x, y, rtol=0.0, atol=tolerance * largest, equal_nan=True)
        if is_different.any():
            return f"{int(is_different.sum())} of {one.size} numbers of array {number} differ"
    return ""


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, by promise; what no kernel carried, and what differs, below it."""
    lines = ["| promise | where | kernels | carried it | differences | seconds |", "|---|---|---:|---:|---:|---:|"]
    for promise in PROMISES:
        for row in rows:
            if row.promise == promise.name:
                numbers = f"{row.tried} | {row.carried} | {len(row.differences)} | {row.seconds:.1f}"
                lines.append(f"| {row.promise} | {row.target} | {numbers} |")
    if missing := uncarried(rows):
        lines.append(f"\nno kernel carried: {', '.join(missing)}")
    for row in rows:
        lines += [f"\nwithout {row.promise!r} on {row.target}: {text}" for text in row.differences[:5]]
    return "\n".join(lines)


def uncarried(rows: Sequence[Row]) -> list[str]:
    """Promises that no kernel of any target carried."""
    names = dict.fromkeys(row.promise for row in rows)
    return [name for name in names if not any(row.carried for row in rows if row.promise == name)]


def _has_nvidia_gpu() -> bool:
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
