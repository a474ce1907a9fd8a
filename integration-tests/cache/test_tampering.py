"""Damaged, exchanged and foreign entries: compiled again, and never run."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cached_kernel import files, scaled
from support.long_run import Outcome

from flydsl.cache.entry import FORMAT_VERSION, Entry, encode
from flydsl.cache.store import Store

NIGHTLY = Path(__file__).parents[1] / "nightly"


def run_of(name: str) -> Callable[[int, int], Outcome]:
    """The function `run` of a nightly run."""
    run: Callable[[int, int], Outcome] = runpy.run_path(str(NIGHTLY / f"{name}.py"))["run"]
    return run


@pytest.mark.parametrize(("name", "count"), [("damaged_entries", 60), ("kills", 8)])
def test_long_run_in_short(name: str, count: int) -> None:
    outcome = run_of(name)(count, 1)
    assert (outcome.tried, outcome.failed) == (count, 0), outcome.failures


def test_entry_of_another_kernel_under_the_name_of_this_one_is_not_run(cache: Path, compilations: list[str]) -> None:
    scaled(2.0)
    (mine,) = files(cache, ".entry")
    scaled(3.0)
    (other,) = set(files(cache, ".entry")) - {mine}
    mine.write_bytes(other.read_bytes())
    assert [scaled(2.0), scaled(3.0)] == [14.0, 21.0]
    assert len(compilations) == 3


def test_index_record_of_another_kernel_under_the_name_of_this_one_leads_nowhere(cache: Path) -> None:
    scaled(2.0)
    (mine,) = files(cache, ".index")
    scaled(3.0)
    (other,) = set(files(cache, ".index")) - {mine}
    mine.write_bytes(other.read_bytes())
    assert scaled(2.0) == 14.0


def test_two_formats_share_a_folder_and_replace_each_other(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two versions of FlyDSL: each takes the other's entry for damaged, and is right."""
    entry = Entry({"ir": "a"}, {}, {"code": b"code"})
    for version in (FORMAT_VERSION + 1, FORMAT_VERSION):
        monkeypatch.setattr("flydsl.cache.entry.FORMAT_VERSION", version)
        store = Store(cache)
        assert store.load(entry.key) is None
        assert store.save(entry)
        assert store.load(entry.key) == entry


OTHER_PYTHON = """
import sys
from flydsl.cache.entry import Entry, encode
from flydsl.cache.store import Store
import platform
store = Store(sys.argv[1])
print(encode(store.load({"ir": "first"})).hex())
assert store.save(Entry({"ir": "second"}, {"made by": "the other", "é": [1, 2.5, None]}, {"code": b"2"}))
assert store.link({"sources": "s"}, {"ir": "second"})
"""


def other_pythons() -> list[str]:
    """Interpreters of other versions that we support, or this one when there is none."""
    found = []
    for minor in {11, 12, 13} - {sys.version_info.minor}:
        paths = [shutil.which(f"python3.{minor}"), *Path.home().glob(f".pyenv/versions/3.{minor}.*/bin/python")]
        found += [str(path) for path in paths if path and _runs(str(path))][:1]
    return found or [sys.executable]


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", "import hashlib, json"], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("python", other_pythons())
def test_two_versions_of_python_share_a_folder(python: str, cache: Path) -> None:
    store, first = Store(cache), Entry({"ir": "first"}, {"made by": "this one"}, {"code": b"1"})
    assert store.save(first)
    source = str(Path(sys.modules["flydsl.cache.store"].__file__ or "").parents[2])
    done = subprocess.run(
        [python, "-c", OTHER_PYTHON, str(cache)],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert bytes.fromhex(done.stdout) == encode(first)
    assert store.resolve({"sources": "s"}) == {"ir": "second"}
    second = store.load({"ir": "second"})
    assert second == Entry({"ir": "second"}, {"made by": "the other", "é": [1, 2.5, None]}, {"code": b"2"})
