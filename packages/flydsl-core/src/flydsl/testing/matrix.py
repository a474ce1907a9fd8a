"""The results of a run of the conformance suite: counts by level and noun, deviations and failures with their reasons.

It imports nothing of the suite: pytest rewrites the asserts of what is imported after it began.
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pytest

from flydsl.testing.capabilities import Capability

LEVELS = {0: "declarations", 1: "code", 2: "execution"}
"""Levels by number: what a plugin says, what its backend makes, what its device does."""
OUTCOMES = ("passed", "failed", "known", "left out")


class Result(NamedTuple):
    """One test: its level, what it is about, how it ended, and the reason where it did not pass."""

    name: str
    level: int
    noun: str
    outcome: str
    reason: str = ""


@dataclass(slots=True, eq=False)  # a plugin has its identity: pytest 8.0 hashes them
class Matrix:
    """Collects results: a pytest plugin."""

    results: list[Result] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    _kinds: dict[str, tuple[int, str]] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Note the level and the suite of each test."""
        for item in items:
            function = getattr(item, "function", None)
            suite, _, _ = getattr(function, "__qualname__", "").partition(".")
            level = getattr(getattr(item, "cls", None), "level", 0)
            owner = next((base for base in getattr(item, "cls", object).__mro__ if base.__name__ == suite), None)
            level = 2 if Capability.DEVICE in getattr(function, "needed", ()) else getattr(owner, "level", level)
            self._kinds[item.nodeid] = level, suite.removesuffix("Suite").lower()

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file that cannot be collected is the only result."""
        if report.failed:
            self.errors.append(_last_line(report.longreprtext))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One result for each test, and one more for an error while it is set up or taken down."""
        if report.when != "call" and report.passed:
            return
        level, noun = self._kinds.get(report.nodeid, (0, ""))
        reason = getattr(report, "wasxfail", "")
        outcome = "known" if reason and report.skipped else {"skipped": "left out"}.get(report.outcome, report.outcome)
        if not reason and isinstance(report.longrepr, tuple):
            reason = report.longrepr[2].removeprefix("Skipped: ")
        elif not reason and report.failed:
            reason = _last_line(report.longreprtext)
        self.results.append(Result(report.nodeid.rpartition("::")[2], level, noun, outcome, reason))

    @property
    def is_conforming(self) -> bool:
        """Whether something ran and nothing failed."""
        return bool(self.results) and not self.errors and not self.of("failed")

    def of(self, outcome: str) -> list[Result]:
        """The results that ended so."""
        return [result for result in self.results if result.outcome == outcome]

    def lines(self) -> Iterator[str]:
        """The matrix, then each failure, each deviation, and what was left out, by reason."""
        yield "{:<6} {:<14} {:<10}".format("level", "about", "tests of") + "".join(f"{word:>10}" for word in OUTCOMES)
        for level, noun in sorted({(result.level, result.noun) for result in self.results}):
            counts = Counter(r.outcome for r in self.results if (r.level, r.noun) == (level, noun))
            yield f"L{level:<5} {LEVELS[level]:<14} {noun:<10}" + "".join(f"{counts[word]:>10}" for word in OUTCOMES)
        yield from (f"error: {error}" for error in self.errors)
        yield from (f"failed: {result.name}: {result.reason}" for result in self.of("failed"))
        yield from (f"known deviation: {result.name}: {result.reason}" for result in self.of("known"))
        for reason, count in Counter(result.reason for result in self.of("left out")).items():
            yield f"left out: {count} tests, {reason}"


def run_file(file: Path) -> Matrix:
    """Run the tests of a file in this process, with nothing printed."""
    matrix = Matrix()
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "-o", "addopts="]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main([*options, f"--rootdir={file.parent}", "-c", "/dev/null", str(file)], plugins=[matrix])
    for name in [name for name, module in sys.modules.items() if getattr(module, "__file__", None) == str(file)]:
        del sys.modules[name]  # the next file of this name is another one
    return matrix


def _last_line(text: str) -> str:
    """What pytest marks with an E, first line, or the last line of all."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["no text"]
    marked = [line.removeprefix("E").strip() for line in lines if line.startswith("E  ")]
    return marked[0] if marked else lines[-1]
