"""The size of the cache is bounded, and the longest unused entries go first."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from flydsl.cache.entry import Entry
from flydsl.cache.key import digest
from flydsl.cache.store import Store


def entry(number: int, size: int = 1000) -> Entry:
    return Entry({"number": str(number)}, {}, {"code": bytes(size)})


def age(store: Store, number: int, seconds: float) -> None:
    assert store.path is not None
    name = digest(entry(number).key)
    moment = time.time() - seconds
    os.utime(store.path / name[:2] / f"{name}.entry", (moment, moment))


@pytest.mark.parametrize("count", [10, 60])
def test_store_stays_below_its_limit(tmp_path: Path, count: int) -> None:
    store = Store(tmp_path, limit=20_000)
    for number in range(count):
        store.save(entry(number))
    assert store.size() <= 20_000
    assert store.load(entry(count - 1).key) is not None


def test_longest_unused_entries_go_first(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=20_000)
    for number in range(10):
        store.save(entry(number))
        age(store, number, 100_000 - 1000 * number)
    store.load(entry(0).key)  # the oldest is used again
    for number in range(10, 20):
        store.save(entry(number))
    assert store.load(entry(0).key) is not None
    assert store.load(entry(1).key) is None


def test_entry_larger_than_the_limit_is_kept_until_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=1000)
    store.save(entry(1, 5000))
    assert store.load(entry(1).key) is not None
    age(store, 1, 10)
    store.save(entry(2, 5000))
    assert store.load(entry(1).key) is None
    assert store.load(entry(2).key) is not None


@pytest.mark.parametrize("log", [b"", b"torn", b"\xff" * 16, b"\0" * 80_000])
def test_broken_account_is_counted_anew(tmp_path: Path, log: bytes) -> None:
    store = Store(tmp_path, limit=20_000)
    for number in range(10):
        store.save(entry(number))
    (tmp_path / "v1" / "usage").write_bytes(log)
    for number in range(10, 40):
        store.save(entry(number))
    assert store.size() <= 20_000


def test_account_grows_no_longer_than_a_page_or_two(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in range(200):
        store.save(entry(number % 3, 10))
    assert (tmp_path / "v1" / "usage").stat().st_size <= 8 * 4100


def test_leftovers_of_killed_writers_are_removed_when_old(tmp_path: Path) -> None:
    store = Store(tmp_path, limit=5000)
    store.save(entry(1))
    folder = tmp_path / "v1" / "ab"
    folder.mkdir(mode=0o700, exist_ok=True)
    for name, moment in (("old", 1), ("new", time.time())):
        for suffix in (".tmp", ".lock"):
            (folder / f".{name}{suffix}").write_bytes(b"half")
            os.utime(folder / f".{name}{suffix}", (moment, moment))
    for number in range(2, 9):
        store.save(entry(number))
    assert sorted(path.name for path in folder.glob(".*")) == [".new.lock", ".new.tmp"]
