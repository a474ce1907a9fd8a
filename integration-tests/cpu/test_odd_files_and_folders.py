"""Programs whose file has a name that is no UTF-8, and programs whose working folder is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = b"""
import sys
import numpy as np
import flydsl.compiler as flyc
import flydsl.expr as fx

@flyc.kernel
def kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    assert i < 64
    y[i] = x[i] * 3

@flyc.jit
def run(x: fx.Tensor, y: fx.Tensor, block: fx.Int32):
    kernel(x, y).launch(grid=1, block=block)

@flyc.jit
def wrong(x: fx.Tensor):
    kernel(x, x.nothing).launch(grid=1, block=8)

x, y = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
run(x, y, 8)
assert (y == 3 * x).all()
for call in (lambda: wrong(x), lambda: run(x, y, 100_000)):
    try:
        call()
    except Exception as error:
        print(ascii(str(error)))
print("fine")
"""
NAMES = [b"pr\xf6g.py", b"caf\xe9/p.py", "ロ ü.py".encode()]


def result(file: bytes, folder: str, before: str = "", **settings: str) -> tuple[str, str]:
    """What a program printed, with its file as an argument of a shell that may do something before."""
    command = ["bash", "-c", f'{before} exec "$0" "$1"', sys.executable, file]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, env={**os.environ, **settings, "LC_ALL": "C.UTF-8"}, check=False
    )
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def written(folder: Path, name: bytes) -> bytes:
    path = os.path.join(os.fsencode(folder), name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(PROGRAM)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_no_utf8_changes_nothing(tmp_path, name):
    file = written(tmp_path, name)
    for settings in ({}, {"FLYDSL_DUMP_IR": "1", "FLYDSL_RUNTIME_ENABLE_CACHE": "0"}):
        out, errors = result(file, str(tmp_path), **settings)
        assert out.endswith("fine\n"), errors
        assert "has no attribute 'nothing'" in out.replace("\\'", "'")
        assert "x.nothing" in out  # the line is shown
        assert "kernel(x, y).launch(grid=1, block=block)" in out


@pytest.mark.parametrize("interpreted", ["0", "1"])
def test_folders_of_a_working_folder_that_is_gone_are_left_alone(tmp_path, interpreted):
    file, gone = written(tmp_path, b"program.py"), tmp_path / "gone"
    gone.mkdir()
    settings = {
        "FLYDSL_RUNTIME_CACHE_DIR": "cache",
        "FLYDSL_AUTOTUNE_CACHE_DIR": "tuned",
        "FLYDSL_INTERPRET": interpreted,
    }
    out, errors = result(file, str(gone), f"rmdir '{gone}';", **settings)
    assert out.endswith("fine\n"), errors
    if interpreted == "0":
        assert "the cache is off: the folder is 'cache', of a working folder that is gone" in errors
