"""Lines that code names at run time, in line tables and assertions, after its source moved under a warm cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def check_kernel(x: fx.Tensor):
    {check}
    x[fx.thread_idx.x] = 1.0

@flyc.jit
def check(x: fx.Tensor):
    check_kernel(x).launch(grid=1, block=4)

check(np.zeros(4, np.float32))
"""


def run(folder: Path, *, check: str, moved: int = 0, name: str = "program.py", **env: str) -> tuple[int, str, int]:
    """The program, `moved` lines further down, in a process: its exit code, what it printed, entries in the cache."""
    program, cache = folder / name, folder / "cache"
    program.write_text("\n" * moved + PROGRAM.format(check=check))
    environment = {**os.environ, "FLYDSL_RUNTIME_CACHE_DIR": str(cache), "FLYDSL_COMPILE_BACKEND": "cpu", **env}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr, len(list(cache.rglob("*.entry")))


def test_an_assertion_names_the_line_where_it_stands_now(tmp_path):
    check = "assert x[0] > 0.0, 'all are positive'"
    for moved, name in ((0, "program.py"), (3, "program.py"), (3, "other.py")):
        code, text, _ = run(tmp_path, check=check, moved=moved, name=name)
        assert code != 0
        assert f"{name}:{8 + moved}: assertion failed: x[0] > 0.0: all are positive" in text


@pytest.mark.parametrize(("lines", "entries"), [("0", [1, 1, 1]), ("1", [1, 2, 3])])
def test_line_tables_are_those_of_the_source_as_it_is(tmp_path, lines, entries):
    found = []
    for moved, name in ((0, "program.py"), (3, "program.py"), (3, "other.py")):
        code, text, count = run(tmp_path, check="pass", moved=moved, name=name, FLYDSL_DEBUG_ENABLE_DEBUG_INFO=lines)
        assert code == 0, text
        found.append(count)
    assert found == entries
