"""Every example runs as a program and checks its own numbers; some say more, which is checked too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("[0-9][0-9]_*.py"))

SAYS = {"01_vector_add": "compilers loaded: none"}
"""What an example's output must hold besides its comparison with NumPy."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, str(example)], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    compared = [line for line in done.stdout.splitlines() if "equal to NumPy" in line]
    assert compared, done.stdout
    assert len(set(compared)) == len(compared), "the same shape twice"
    assert SAYS.get(example.stem, "") in done.stdout


def test_there_are_examples() -> None:
    assert EXAMPLES
