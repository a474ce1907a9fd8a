"""No change of what a kernel reads gives the code of before: in one process, and in the next with the same cache."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from ways import all_ways

HERE = Path(__file__).parent
WAYS = all_ways()


class Stored(NamedTuple):
    """What a kernel stored, and what plain Python says that it should."""

    found: float
    wanted: float


class Outcomes(NamedTuple):
    """What three processes saw: one that makes each change, and two of which the second starts with all of them."""

    same: dict[str, dict[str, object]]
    before: dict[str, dict[str, object]]
    after: dict[str, dict[str, object]]

    def of(self, process: str, name: str, when: str) -> Stored:
        """One outcome; an error of that process fails the test."""
        outcome = getattr(self, process)[name]
        assert "error" not in outcome, outcome["error"]
        return Stored(*outcome[when])


def start(mode: str, folder: Path) -> Callable[[], dict[str, dict[str, object]]]:
    """Start a process; what waits for its outcomes."""
    folder.mkdir(exist_ok=True)
    output = folder / f"{mode}.json"
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(folder / "cache"), "FLYDSL_COMPILE_BACKEND": "cpu"}
    command = [sys.executable, str(HERE / "run_ways.py"), mode, str(folder), str(output)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait() -> dict[str, dict[str, object]]:
        said, _ = process.communicate(timeout=280)
        assert process.returncode == 0, said
        found: dict[str, dict[str, object]] = json.loads(output.read_text())
        return found

    return wait


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Every way, in one process and in two."""
    same = start("same", tmp_path_factory.mktemp("same"))
    two = tmp_path_factory.mktemp("two")
    before = start("before", two)()
    after = start("after", two)()
    return Outcomes(same(), before, after)


def test_there_are_many_ways():
    assert len(WAYS) >= 150


@pytest.mark.parametrize("name", WAYS)
def test_a_change_in_the_process_is_noticed(outcomes, name):
    before, after = outcomes.of("same", name, "before"), outcomes.of("same", name, "after")
    assert before.wanted != after.wanted, "the way changes nothing"
    assert before.found == before.wanted
    assert after.found == after.wanted


@pytest.mark.parametrize("name", WAYS)
def test_a_change_before_the_next_process_is_noticed(outcomes, name):
    before, after = outcomes.of("before", name, "before"), outcomes.of("after", name, "after")
    assert before.wanted != after.wanted, "the way changes nothing"
    assert before.found == before.wanted
    assert after.found == after.wanted
