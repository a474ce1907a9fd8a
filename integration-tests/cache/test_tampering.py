"""Damaged, exchanged and foreign entries: compiled again, and never run."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path

import pytest
from support.cached_kernel import files, scaled
from support.long_run import Outcome

from flydsl.cache.entry import FORMAT_VERSION, Entry
from flydsl.cache.store import Store

NIGHTLY = Path(__file__).parents[1] / "nightly"


def run_of(name: str) -> Callable[[int, int], Outcome]:
    """The function `run` of a nightly run."""
    run: Callable[[int, int], Outcome] = runpy.run_path(str(NIGHTLY / f"{name}.py"))["run"]
    return run


@pytest.mark.parametrize(
    ("name", "count"), [("damaged_entries", 60), ("kills", 8), ("hostile_archives", 80), ("forks", 6)]
)
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
