"""The interpreter gives what the CPU backend gives: the examples and tests of this folder run once more, interpreted.

Left out is what has nothing to do with the meaning of a kernel (caches, limits of a backend), what is too large for
Python, and what the interpreter refuses for a reason: each with that reason.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

MODULES = {
    "control_flow": "",
    "division": "",
    "helpers": "",
    "indexed_copy": "",
    "launches": "",
    "layout_execution": "",
    "math": "",
    # out of the range of the integer: no value, and none may be stored
    "numeric": "not test_doubles_become_halves_in_one_rounding",
    # limits of the backend; one kernel in which all threads write one byte, which is a race
    "shared_memory": "not has_raises and not reserves_what_the_kernel_took",
    "tiled_mma": "test_element_types or test_tiled_copies or order3 or order8",
    "waves_and_atomics": "",
    "vector_add": "strides or slice or outside or scalars or keyword or empty",
}
"""Test modules, and which of their tests run (`-k`); empty: all."""


@pytest.mark.parametrize("module", MODULES)
def test_tests_of_the_backend_pass_in_the_interpreter(module: str) -> None:
    chosen = ["-k", MODULES[module]] if MODULES[module] else []
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(HERE / f"test_{module}.py"), *chosen]
    environment = {**os.environ, "FLYDSL_INTERPRET": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
