"""What the code of a kernel does not depend on costs no compilation, in the same process and in the next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from no_misses import BETWEEN_PROCESSES, HELPER, IN_ONE_PROCESS, PROGRAM, Change

CALL = """
import json, sys
sys.path.insert(0, sys.argv[1])
{before}
import numpy as np
import program
{after}
x = np.zeros(4, np.float32)
program.run(x)
tracer = "flydsl.frontend.trace" in sys.modules
counts = []
from flydsl.compiler.stages.pipeline import Lowered
compiled = Lowered.compile
Lowered.compile = lambda self: counts.append(1) or compiled(self)
stored = {{}}
for name, change in json.loads(sys.argv[2]).items():
    exec(change, vars(program))
    before, x[0] = len(counts), 0
    program.run(x)
    program.run(x)
    stored[name] = [float(x[0]), len(counts) - before]
print(json.dumps({{"value": float(np.float32(x[0])), "traced": tracer, "changes": stored}}))
"""
VALUE = float(3 + 1000.5 + 4 + 4 + 4 + 2 + 2 + 1.25 + 0.5 + 1 + 2 + 2 + 1 + 2 + 1)


def call(tmp_path: Path, change: Change, changes: dict[str, str] | None = None) -> dict[str, object]:
    """Run the program in a process: what it stored, whether the function was traced, and what `changes` cost."""
    folder = tmp_path / change.folder
    folder.mkdir(exist_ok=True)
    for name, text, (old, new) in (("program", PROGRAM, change.program), ("helper_of_mine", HELPER, change.helper)):
        assert old in text
        (folder / f"{name}.py").write_text(text.replace(old, new))
    script = CALL.format(before=change.before, after=change.after)
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path / "cache"), "FLYDSL_COMPILE_BACKEND": "cpu"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), json.dumps(changes or {})],
        env={**environment, **change.environment},
        cwd=change.directory or tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a cache that has the program's code."""
    folder = tmp_path_factory.mktemp("needless")
    first = call(folder, Change())
    assert first["traced"]
    assert first["value"] == VALUE
    return folder


@pytest.fixture(scope="module")
def in_one_process(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[float]]:
    """What each change of IN_ONE_PROCESS gave and cost, one after the other."""
    changes: dict[str, list[float]] = call(tmp_path_factory.mktemp("one"), Change(), IN_ONE_PROCESS)["changes"]
    return changes


@pytest.mark.parametrize("name", BETWEEN_PROCESSES)
def test_the_next_process_finds_the_code_without_tracing(filled, name):
    found = call(filled, BETWEEN_PROCESSES[name])
    assert found["value"] == VALUE
    assert not found["traced"]


@pytest.mark.parametrize("name", IN_ONE_PROCESS)
def test_the_same_process_compiles_nothing(in_one_process, name):
    assert in_one_process[name] == [VALUE, 0]


def test_a_change_that_counts_is_not_taken_for_one_of_these(filled):
    found = call(filled, Change(program=("N, X, NAMES, TABLE = 3", "N, X, NAMES, TABLE = 4")))
    assert found["value"] == VALUE + 1
    assert found["traced"]
