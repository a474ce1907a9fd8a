"""One cache folder under several versions of Python: equal programs have equal keys, and entries go both ways."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import xdsl

from flydsl.cache.entry import Entry, encode
from flydsl.cache.store import Store

MINORS = (11, 12, 13)
PATHS = os.pathsep.join([*filter(None, sys.path[1:]), str(Path(xdsl.__file__).parents[1])])

EXCHANGE = """
import sys
from flydsl.cache.entry import Entry, encode
from flydsl.cache.store import Store

store = Store(sys.argv[1])
print(encode(store.load({"ir": "first"})).hex())
assert store.save(Entry({"ir": "second"}, {"made by": "the other", "é": [1, 2.5, None]}, {"code": b"2"}))
assert store.link({"sources": "s"}, {"ir": "second"})
"""

KEYS = """
import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.cache.dependencies import dependencies

SCALE = 3
TABLE = {"a": (1, 2.5), "b": [True, None]}

def helper(value):
    return value * SCALE if TABLE["b"][0] else value

@flyc.kernel
def kernel(n: fx.Int32):
    tile = fx.make_rmem_tensor(4, fx.Int32)
    i = fx.thread_idx.x
    total = fx.Int32(0)
    for k in range(n):
        if i < k:
            total = total + helper(k)
        else:
            total -= 1
    while total > 100:
        total = total // 2
    tile[0] = total
    fx.printf("{} {}", i, tile[0])

@flyc.jit
def launch(n: fx.Int32):
    kernel(n).launch(grid=1, block=32)

read = dependencies(launch)
assert read.indexable, read.reason
print(read.digest)
print(launch.trace(5, backend="cpu", arch="x86-64-v3").text)
"""


def other_pythons() -> list[str]:
    """Interpreters of other versions that we support, or this one when there is none."""
    found = []
    for minor in sorted({*MINORS} - {sys.version_info.minor}):
        paths = [shutil.which(f"python3.{minor}"), *Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")]
        able = [str(path) for path in paths if path and _can_trace(str(path))]
        found += able[:1]
    return found or [sys.executable]


def _can_trace(python: str) -> bool:
    return _run(python, "-c", "import flydsl.compiler, flydsl.expr, xdsl.dialects.builtin").returncode == 0


def _run(python: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": PATHS}
    return subprocess.run([python, *arguments], env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def pythons() -> list[str]:
    return other_pythons()


def test_two_versions_share_a_folder(pythons: list[str], cache: Path) -> None:
    for python in pythons:
        store, first = Store(cache), Entry({"ir": "first"}, {"made by": "this one"}, {"code": b"1"})
        assert store.save(first)
        done = _run(python, "-c", EXCHANGE, str(cache))
        assert done.returncode == 0, done.stderr
        assert bytes.fromhex(done.stdout) == encode(first)
        assert store.resolve({"sources": "s"}) == {"ir": "second"}
        second = store.load({"ir": "second"})
        assert second == Entry({"ir": "second"}, {"made by": "the other", "é": [1, 2.5, None]}, {"code": b"2"})
        store.clear()


def test_equal_programs_have_equal_keys(pythons: list[str], tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(KEYS)
    runs = [_run(python, str(program)) for python in (sys.executable, *pythons)]
    assert [run.returncode for run in runs] == [0] * len(runs), runs[-1].stderr
    assert {run.stdout for run in runs} == {runs[0].stdout}
    assert "scf." in runs[0].stdout
