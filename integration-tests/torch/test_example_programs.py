"""The examples for torch run as programs, on the CPU."""

import os
import subprocess
import sys

import pytest
from support.examples import FOLDER

EXAMPLES = sorted(path.stem for path in FOLDER.glob("torch_[0-9][0-9]_*.py"))


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name, tmp_path):
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(tmp_path), "FLYDSL_COMPILE_BACKEND": "cpu"}
    command = [sys.executable, str(FOLDER / f"{name}.py")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len({line for line in done.stdout.splitlines() if "equal to torch" in line}) > 1, done.stdout
