"""`flydsl conformance` on an installed backend."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "flydsl.tools.cli", "conformance", "cpu", "--target", "x86-64-v2", "--json"]


def run(*words: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_the_cpu_conforms_at_every_level() -> None:
    code, found = run()
    assert code == 0, [result for result in found["results"] if result["outcome"] == "failed"]
    assert found["subject"].startswith("cpu + cpu (kind cpu), flydsl-cpu ")
    rows = {(result["level"], result["noun"]) for result in found["results"]}
    assert rows == {
        (0, "manifest"),
        (0, "runtime"),
        (1, "compile"),
        (2, "runtime"),
        (2, "launch"),
        (2, "number"),
        (2, "thread"),
    }


def test_a_deviation_that_is_none_is_a_failure_and_so_is_one_that_no_test_is_called() -> None:
    code, found = run("--known", "test_several_kernels_are_one_code_object=not yet", "--without", "timing=no clock")
    assert code == 1
    (failed,) = [result for result in found["results"] if result["outcome"] == "failed"]
    assert failed["name"].startswith("test_several_kernels_are_one_code_object")
    assert "no timing: no clock" in {result["reason"] for result in found["results"]}
    code, found = run("--known", "test_of_nothing=not yet")
    assert code == 1
    assert "known deviation 'test_of_nothing' is no test of this plugin" in found["errors"][0]
