"""The folder of the cache: what is saved is loaded, and what is damaged is a miss."""

from __future__ import annotations

import json
import logging
import os
import shutil
import stat
from pathlib import Path

import pytest

from flydsl.base.errors import SettingError
from flydsl.cache import store as store_module
from flydsl.cache.entry import Entry, encode
from flydsl.cache.key import digest
from flydsl.cache.store import Store, default_store


def entry(name: str = "a", code: bytes = b"code") -> Entry:
    key = {"backend": "cpu", "runtime_kind": "cpu", "target": "x", "ir": name}
    return Entry(key, {"name": name}, {"device": code, "host": b""})


def file_of(store: Store, entry: Entry, suffix: str = ".entry") -> Path:
    assert store.path is not None
    name = digest(entry.key)
    return store.path / name[:2] / (name + suffix)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def notes(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.WARNING, "flydsl.cache")
    return caplog


def test_saved_entry_is_loaded_by_another_store_of_the_folder(store: Store, tmp_path: Path) -> None:
    assert store.save(entry())
    assert Store(tmp_path / "cache").load(entry().key) == entry()


def test_unknown_key_is_a_miss(store: Store) -> None:
    assert store.load(entry().key) is None
    assert store.resolve({"sources": "a"}) is None


def test_saving_again_replaces(store: Store) -> None:
    store.save(entry(code=b"old"))
    store.save(entry(code=b"new"))
    found = store.load(entry().key)
    assert found is not None
    assert found.parts["device"] == b"new"


def test_every_changed_byte_of_a_file_is_a_miss_with_a_note(store: Store, notes: pytest.LogCaptureFixture) -> None:
    store.save(entry())
    place = file_of(store, entry())
    data = place.read_bytes()
    for position in range(len(data)):
        notes.clear()
        place.write_bytes(data[:position] + bytes([data[position] ^ 0x10]) + data[position + 1 :])
        assert store.load(entry().key) is None
        assert "bad cache file" in notes.text
        assert not place.exists()


@pytest.mark.parametrize("size", [0, 5, 47, 48, 100, -1])
def test_a_torn_file_is_a_miss_and_can_be_saved_again(store: Store, size: int) -> None:
    store.save(entry())
    place = file_of(store, entry())
    place.write_bytes(place.read_bytes()[:size])
    assert store.load(entry().key) is None
    store.save(entry())
    assert store.load(entry().key) == entry()


def test_whole_entry_of_another_key_in_the_place_is_a_miss(store: Store, notes: pytest.LogCaptureFixture) -> None:
    store.save(entry("a"))
    file_of(store, entry("a")).write_bytes(encode(entry("b", b"wrong code")))
    assert store.load(entry("a").key) is None
    assert "another key" in notes.text


def test_index_leads_to_the_key(store: Store) -> None:
    store.link({"sources": "s", "signature": "f32"}, entry().key)
    assert store.resolve({"sources": "s", "signature": "f32"}) == dict(entry().key)
    assert store.resolve({"sources": "s", "signature": "f16"}) is None


def test_every_changed_byte_of_an_index_record_is_a_miss(store: Store) -> None:
    index = Entry({"sources": "s"})
    store.link(index.key, {"ir": "a"})
    place = file_of(store, index, ".index")
    data = place.read_bytes()
    for position in range(len(data)):
        place.write_bytes(data[:position] + bytes([data[position] ^ 0x01]) + data[position + 1 :])
        assert store.resolve(index.key) is None


@pytest.mark.parametrize("leads_to", [None, 3, {"ir": 3}, []])
def test_whole_index_record_of_another_form_is_a_miss(store: Store, leads_to: object) -> None:
    index = Entry({"sources": "s"}, {"leads_to": leads_to})  # type: ignore[dict-item]
    store.link(index.key, {})
    file_of(store, index, ".index").write_bytes(encode(index))
    assert store.resolve(index.key) is None


def test_folder_and_files_are_for_their_owner_alone(store: Store) -> None:
    store.save(entry())
    assert store.path is not None
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(file_of(store, entry()).parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(file_of(store, entry()).stat().st_mode) == 0o600


def test_folder_that_others_may_reach_is_not_used(tmp_path: Path, notes: pytest.LogCaptureFixture) -> None:
    Store(tmp_path).save(entry())
    (tmp_path / "v1").chmod(0o770)
    store = Store(tmp_path)
    assert not store.is_enabled
    assert "chmod 700" in notes.text
    assert store.load(entry().key) is None
    assert not store.save(entry())


def test_folder_of_another_user_is_not_used(
    tmp_path: Path, notes: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path).save(entry())
    monkeypatch.setattr(os, "geteuid", lambda: 987654)
    store = Store(tmp_path)
    assert "belongs to user" in notes.text
    assert store.load(entry().key) is None
    assert not store.save(entry())
    assert not store.link({"s": ""}, entry().key)
    assert store.fetch(entry().key, entry) == entry()
    assert list(store.stored()) == []


def test_folder_that_cannot_be_made_works_without_memory(tmp_path: Path, notes: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file" / "cache")
    assert "the cache is off" in notes.text
    assert store.fetch(entry().key, entry) == entry()
    assert store.load(entry().key) is None


def test_failing_writes_are_noted_once_and_leave_nothing(
    store: Store, notes: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space left on device")

    store.save(entry("a"))
    monkeypatch.setattr(os, "replace", full)
    assert not store.save(entry("b"))
    assert not store.save(entry("c"))
    assert notes.text.count("no space left") == 1
    assert store.path is not None
    assert list(store.path.glob("??/.*.tmp")) == []
    assert store.load(entry("a").key) == entry("a")


def test_read_only_folder_still_serves(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(entry("a"))
    real = os.open

    def read_only(path: str, flags: int, *rest: int, dir_fd: int | None = None) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR):
            raise OSError(30, "read-only file system")
        return real(path, flags, *rest, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", read_only)
    assert store.load(entry("a").key) == entry("a")
    assert not store.save(entry("b"))
    assert store.fetch(entry("b").key, lambda: entry("b")) == entry("b")


def test_folder_in_the_place_of_a_file_is_a_miss(store: Store, notes: pytest.LogCaptureFixture) -> None:
    place = file_of(store, entry())
    place.parent.mkdir(mode=0o700)
    (place / "in it").mkdir(parents=True)
    assert store.load(entry().key) is None
    assert not store.save(entry())
    assert "a bad cache file stays" in notes.text
    (place / "in it").rmdir()
    assert store.load(entry().key) is None
    assert "a bad cache file was dropped" in notes.text
    assert store.save(entry())


def test_same_failure_of_a_folder_is_noted_once_a_process(tmp_path: Path, notes: pytest.LogCaptureFixture) -> None:
    Store(tmp_path).path.chmod(0o755)  # type: ignore[union-attr]
    for _ in range(3):
        Store(tmp_path)
    assert notes.text.count("the cache is off") == 1


def test_copied_folder_hits(store: Store, tmp_path: Path) -> None:
    store.save(entry())
    store.link({"sources": "s"}, entry().key)
    shutil.copytree(tmp_path / "cache", tmp_path / "elsewhere" / "cache")
    copy = Store(tmp_path / "elsewhere" / "cache")
    assert copy.resolve({"sources": "s"}) == dict(entry().key)
    assert copy.load(entry().key) == entry()


def test_no_file_holds_a_path(store: Store, tmp_path: Path) -> None:
    store.save(entry())
    store.link({"sources": "s"}, entry().key)
    assert store.path is not None
    for file in store.path.rglob("*"):
        if file.is_file():
            assert str(tmp_path).encode() not in file.read_bytes()


def test_relative_folder_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store("cache")
    store.save(entry())
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert store.load(entry().key) == entry()


def test_fetch_makes_once_and_then_loads(store: Store) -> None:
    made: list[int] = []

    def make() -> Entry:
        made.append(1)
        return entry()

    assert store.fetch(entry().key, make) == entry()
    assert store.fetch(entry().key, make) == entry()
    assert len(made) == 1


def test_fetch_passes_a_failure_on_and_keeps_nothing(store: Store) -> None:
    with pytest.raises(ZeroDivisionError):
        store.fetch(entry().key, lambda: 1 // 0)  # type: ignore[arg-type,return-value]
    assert store.load(entry().key) is None
    assert store.fetch(entry().key, entry) == entry()


def test_store_lists_what_it_holds_newest_first(store: Store) -> None:
    store.save(entry("old"))
    os.utime(file_of(store, entry("old")), (1, 1))
    store.save(entry("new"))
    store.link({"sources": "s"}, entry("new").key)
    os.utime(file_of(store, Entry({"sources": "s"}), ".index"), (2, 2))
    file_of(store, entry("x")).parent.mkdir(exist_ok=True)
    file_of(store, entry("x")).write_bytes(b"broken")
    assert [(item.kind, item.entry.key.get("ir")) for item in store.stored()] == [
        ("entry", "new"),
        ("index", None),
        ("entry", "old"),
    ]


def test_clear_removes_everything(store: Store) -> None:
    store.save(entry("a"))
    store.link({"sources": "s"}, entry("a").key)
    size = store.size()
    assert store.clear() == (2, size)
    assert store.size() == 0
    assert store.path is not None
    assert not store.path.exists()
    assert store.load(entry("a").key) is None
    assert store.save(entry("a"))
    assert store.load(entry("a").key) == entry("a")


def test_loading_marks_an_entry_as_used(store: Store) -> None:
    store.save(entry())
    place = file_of(store, entry())
    os.utime(place, (1, 1))
    store.load(entry().key)
    assert place.stat().st_mtime > 1


def test_entry_beyond_the_largest_size_is_neither_saved_nor_loaded(
    store: Store, monkeypatch: pytest.MonkeyPatch, notes: pytest.LogCaptureFixture
) -> None:
    store.save(entry())
    monkeypatch.setattr(store_module, "LARGEST", 100)
    assert store.load(entry().key) is None
    assert not store.save(entry())
    assert "is not kept" in notes.text


def test_header_with_odd_values_is_refused_when_saving(store: Store) -> None:
    with pytest.raises(TypeError):
        store.save(Entry({}, {"x": object()}))  # type: ignore[dict-item]
    assert json.dumps(store.size()) == "0"


def test_default_store_follows_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_LIMIT_MIB", "3")
    store = default_store()
    assert store.path == tmp_path / "v1"
    assert store.limit == 3 << 20
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    store = default_store()
    assert not store.is_enabled
    assert not store.save(entry())
    assert "FLYDSL_RUNTIME_ENABLE_CACHE" in store.reason
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "perhaps")
    with pytest.raises(SettingError):
        default_store()
