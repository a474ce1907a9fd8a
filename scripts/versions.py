"""The tests, examples and random programs of each dependency, with the versions of it that are supported.

`versions.py torch numpy` runs some of the dependencies, `--only 2.11` some of the versions, with random programs for
about `--seconds`. It prints one table and what failed; `--write` puts the rows without failures into the docs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent))

from version_environments import environment_of, make_environment
from version_matrix import DEPENDENCIES, ROOT, Dependency
from version_table import Row, merged

PAGE = ROOT / "docs/reference/versions.md"
_SHOWN = 5
"""Failures of a version that are shown."""


@dataclass(slots=True)
class Trial:
    """What a version did: counts, and failures as text."""

    is_imported: bool = False
    passed: int = 0
    failed: int = 0
    examples: int = 0
    programs: int = 0
    failures: list[str] = field(default_factory=list)

    def row(self, dependency: Dependency, version: str, day: str) -> Row:
        """A row of the table."""
        found = "yes" if self.is_imported else "no"
        results = (f"{self.passed} passed, {self.failed} failed", f"{self.examples} run", f"{self.programs} run")
        return Row(dependency.name, version, day, found, *results, len(self.failures))


def main() -> int:
    names = [dependency.name for dependency in DEPENDENCIES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="dependency", help=f"all without any: {', '.join(names)}")
    parser.add_argument("--only", action="append", default=[], metavar="VERSION", help="versions that begin like this")
    parser.add_argument("--seconds", type=float, default=30.0, help="time of each generator of random programs")
    parser.add_argument("--write", action="store_true", help=f"put rows without failures into {PAGE.relative_to(ROOT)}")
    parser.add_argument("--environments", type=Path, metavar="FOLDER", help="keep them there, and take what is there")
    options = parser.parse_args()
    wanted = [name.replace("_", "-") for name in options.names] or names
    if unknown := set(wanted) - set(names):
        parser.error(f"no dependency is called {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    rows, is_right = [], True
    for dependency in DEPENDENCIES:
        for version in _chosen(dependency, wanted, options.only):
            with _environments(options.environments) as environments:
                trial = _trial(dependency, version, environments, options.seconds)
            rows.append(trial.row(dependency, version, f"{datetime.now(UTC):%Y-%m-%d}"))
            print("\n".join([rows[-1].text(), *trial.failures[:_SHOWN]]), flush=True)
            is_right &= not trial.failures
            if options.write and not trial.failures:
                PAGE.write_text(merged(PAGE.read_text(), rows[-1:]))
    print(merged("", rows))
    return int(not is_right)


def _chosen(dependency: Dependency, names: list[str], only: list[str]) -> list[str]:
    if dependency.name not in names:
        return []
    return [version for version in dependency.versions if not only or version.startswith(tuple(only))]


@contextmanager
def _environments(kept: Path | None) -> Iterator[Path]:
    """The folder of environments; one that is deleted unless it is to be kept, for some have gigabytes."""
    with nullcontext(str(kept)) if kept else TemporaryDirectory() as place:
        yield Path(place).resolve()


def _trial(dependency: Dependency, version: str, environments: Path, seconds: float) -> Trial:
    """Make the environment if need be, and run all."""
    with TemporaryDirectory() as place:
        folder, trial = environments / f"{dependency.name}-{version}", Trial()
        print(f"-- {dependency.name} {version}", file=sys.stderr, flush=True)
        try:
            exists = (folder / "bin/python").exists()
            python = folder / "bin/python" if exists else make_environment(folder, dependency.name, version)
        except subprocess.CalledProcessError as error:
            trial.failures.append(f"no environment: {error}")
            return trial
        run = _Runner(python, Path(place))
        done = run(["-W", "error::RuntimeWarning", "-c", f"import {dependency.module}, flydsl.compiler"])
        trial.is_imported = done.returncode == 0
        if not trial.is_imported:
            trial.failures.append(_last_lines(done))
            return trial
        _count_tests(trial, run, dependency.tests)
        for example in sorted(ROOT.glob(dependency.examples)):
            trial.examples += _ran(trial, run, [str(example.relative_to(ROOT))])
        for program in dependency.programs:
            trial.programs += _ran(trial, run, program.command(seconds))
        return trial


@dataclass(frozen=True, slots=True)
class _Runner:
    """Runs an interpreter in the workspace, on the CPU."""

    python: Path
    folder: Path

    def __call__(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        environment = {**environment_of(self.folder), "FLYDSL_COMPILE_BACKEND": "cpu"}
        command = [str(self.python), *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)

    def tests(self, folders: tuple[str, ...], report: Path) -> subprocess.CompletedProcess[str]:
        """pytest, with a report in JUnit's format."""
        words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=1800", f"--junitxml={report}", *folders]
        environment = environment_of(self.folder)
        command = [str(self.python), *words]
        return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def _count_tests(trial: Trial, run: _Runner, folders: tuple[str, ...]) -> None:
    report = run.folder / "report.xml"
    done = run.tests(folders, report)
    if not report.exists():
        trial.failures.append(_last_lines(done))
        return
    for name, message in _results(report):
        trial.passed += message is None
        trial.failed += message is not None
        if message is not None:
            trial.failures.append(f"{name}: {message}")


def _results(report: Path) -> Iterator[tuple[str, str | None]]:
    """Each test that ran with None or the first line of what failed."""
    for case in ElementTree.parse(report).iter("testcase"):
        problems = [child for child in case if child.tag in ("failure", "error")]
        name = f"{case.get('classname')}.{case.get('name')}"
        if problems:
            yield name, (problems[0].get("message") or "").partition("\n")[0][:300]
        elif case.find("skipped") is None:
            yield name, None


def _ran(trial: Trial, run: _Runner, words: list[str]) -> int:
    done = run(words)
    if done.returncode == 0:
        return 1
    trial.failures.append(f"{' '.join(words)}: {_last_lines(done)}")
    return 0


def _last_lines(done: subprocess.CompletedProcess[str]) -> str:
    return " | ".join(f"{done.stdout}\n{done.stderr}".strip().splitlines()[-3:])[-500:]


if __name__ == "__main__":
    sys.exit(main())
