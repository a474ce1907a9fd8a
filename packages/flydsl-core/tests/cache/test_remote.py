"""The shared cache: a store that misses reads it, one that makes an entry writes it, and neither needs it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fsspec
import pytest

from flydsl.base.errors import SettingError
from flydsl.base.settings import STORE_FOLDER
from flydsl.cache.entry import MAGIC, Entry
from flydsl.cache.key import digest
from flydsl.cache.remote import Remote, remote_cache
from flydsl.cache.store import Store, default_store

KEY = {"backend": "cpu", "ir": "add"}
ADD = Entry(KEY, {"name": "add"}, {"device": b"code"})
NAME = f"{digest(KEY)[:2]}/{digest(KEY)}.entry"
SECRET, OTHER = b"0123456789abcdef", b"fedcba9876543210"


@pytest.fixture
def url() -> Iterator[str]:
    files = fsspec.filesystem("memory")
    yield "memory://shared"
    files.store.clear()


@pytest.fixture(params=["memory", "folder"])
def any_url(request: pytest.FixtureRequest, url: str, tmp_path: Path) -> str:
    return url if request.param == "memory" else str(tmp_path / "shared")


def test_what_one_machine_made_another_finds(any_url: str, tmp_path: Path) -> None:
    one = Store(tmp_path / "one", remote=Remote(any_url))
    one.save(ADD)
    one.link({"sources": "add"}, KEY)
    other = Store(tmp_path / "other", remote=Remote(any_url))
    assert other.resolve({"sources": "add"}) == KEY
    assert other.load(KEY) == ADD
    assert Store(tmp_path / "other").load(KEY) == ADD  # it is there from now on
    assert other.load({"backend": "cpu", "ir": "other"}) is None


def test_an_entry_is_made_once_for_all(url: str, tmp_path: Path) -> None:
    made = []

    def make() -> Entry:
        made.append(1)
        return ADD

    for machine in range(3):
        assert Store(tmp_path / str(machine), remote=Remote(url)).fetch(KEY, make) == ADD
    assert len(made) == 1


def test_without_a_local_folder_the_shared_one_is_read(url: str, tmp_path: Path) -> None:
    Store(tmp_path, remote=Remote(url)).save(ADD)
    assert Store(None, remote=Remote(url)).load(KEY) == ADD


def test_what_may_only_be_read_is_not_written(url: str, tmp_path: Path) -> None:
    assert Store(tmp_path, remote=Remote(url, read_only=True)).save(ADD)
    assert Remote(url).read(NAME) is None


def test_each_flipped_byte_is_a_miss(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Store(tmp_path / "one", remote=Remote(url)).save(ADD)
    data = Remote(url).read(NAME)
    assert data is not None
    for position in range(0, len(data), 7):
        Remote(url).write(NAME, data[:position] + bytes([data[position] ^ 4]) + data[position + 1 :])
        assert Store(tmp_path / "two", remote=Remote(url)).load(KEY) is None
    assert "a file of the shared cache is not used" in caplog.text


def test_an_entry_of_another_key_is_a_miss(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Store(tmp_path / "one", remote=Remote(url)).save(ADD)
    data = Remote(url).read(NAME)
    wanted = {"backend": "cpu", "ir": "sub"}
    assert data is not None
    Remote(url).write(f"{digest(wanted)[:2]}/{digest(wanted)}.entry", data)
    assert Store(tmp_path / "two", remote=Remote(url)).load(wanted) is None
    assert "it states another key" in caplog.text


@pytest.mark.parametrize(
    ("writer", "reader", "reason"),
    [
        (SECRET, SECRET, ""),
        (SECRET, None, ""),
        (None, None, ""),
        (None, SECRET, "bears no signature"),
        (OTHER, SECRET, "signature is of another key"),
    ],
)
def test_signatures(
    writer: bytes | None,
    reader: bytes | None,
    reason: str,
    url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    Store(tmp_path / "one", remote=Remote(url, key=writer)).save(ADD)
    found = Store(tmp_path / "two", remote=Remote(url, key=reader)).load(KEY)
    assert (found is None) == bool(reason)
    assert reason in caplog.text


@pytest.mark.parametrize(("taken_with", "key", "trusted"), [
    (None, None, True), (None, SECRET, False), (SECRET, SECRET, True), (SECRET, None, True), (OTHER, SECRET, False),
])  # fmt: skip
def test_what_was_taken_before_counts_by_the_key_of_now(
    taken_with: bytes | None,
    key: bytes | None,
    trusted: bool,
    url: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    maker = Store(tmp_path / "maker", remote=Remote(url, key=taken_with))
    maker.save(ADD)
    maker.link({"sources": "add"}, KEY)
    taker = Store(tmp_path / "taker", remote=Remote(url, key=taken_with))
    assert (taker.load(KEY), taker.resolve({"sources": "add"})) == (ADD, KEY)
    later = Store(tmp_path / "taker", remote=Remote("memory://empty", key=key))
    assert (later.load(KEY), later.resolve({"sources": "add"})) == ((ADD, KEY) if trusted else (None, None))
    assert trusted or "it was taken from a shared cache" in caplog.text
    assert Store(tmp_path / "maker", remote=Remote("memory://empty", key=key)).load(KEY) == ADD  # made here
    if not trusted:
        assert later.fetch(KEY, lambda: ADD) == ADD
        assert later.load(KEY) == ADD  # made here, now


def test_a_key_without_a_shared_cache_asks_for_signatures_too(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Store(tmp_path / "maker", remote=Remote(url)).save(ADD)
    assert Store(tmp_path / "taker", remote=Remote(url)).load(KEY) == ADD
    (tmp_path / "key").write_bytes(SECRET)
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "taker"))
    assert default_store().load(KEY) == ADD
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE", str(tmp_path / "key"))
    assert default_store().load(KEY) is None


def test_a_signed_entry_cannot_be_given_out_as_another(url: str, tmp_path: Path) -> None:
    remote = Remote(url, key=SECRET)
    Store(tmp_path / "one", remote=remote).save(ADD)
    sealed = fsspec.filesystem("memory").cat_file(f"/shared/v1/{NAME}")
    elsewhere = "00/0000.entry"
    Remote(url).write(elsewhere, sealed)
    with pytest.raises(Exception, match="signature is of another key"):
        remote.read(elsewhere)


class Slow:
    """A file system that never answers in time."""

    calls = 0

    def open(self, path: str, mode: str) -> bytes:
        Slow.calls += 1
        time.sleep(5)
        return b""


def test_a_store_that_is_slow_is_waited_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    remote = Remote("memory://slow", timeout=0.05)
    monkeypatch.setattr(remote, "_place", (Slow(), ""))
    store = Store(tmp_path, remote=remote)
    assert store.load(KEY) is None
    assert store.save(ADD)
    assert store.load({"backend": "cpu", "ir": "other"}) is None
    assert Slow.calls == 1
    assert caplog.text.count("is off in this process: TimeoutError: no answer within 0.05 s") == 1
    assert store.load(KEY) == ADD


@pytest.mark.parametrize("url", ["nosuch://bucket", "/proc/nothing/here"])
def test_a_store_that_is_not_there_is_done_without(url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(tmp_path, remote=Remote(url))
    assert store.fetch(KEY, lambda: ADD) == ADD
    assert Store(tmp_path).load(KEY) == ADD
    assert caplog.text.count("is off in this process") == 1


def test_without_fsspec_the_note_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("flydsl.cache.remote.import_module", missing)
    assert Store(tmp_path, remote=Remote("memory://x")).load(KEY) is None
    assert "it needs fsspec: pip install fsspec" in caplog.text


def test_the_settings_name_the_shared_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    assert default_store().remote is None
    key = tmp_path / "key"
    key.write_bytes(SECRET + b"\n")
    for name, value in {"": url, "_KEY_FILE": str(key), "_READ_ONLY": "1", "_TIMEOUT": "9"}.items():
        monkeypatch.setenv(f"FLYDSL_RUNTIME_CACHE_REMOTE{name}", value)
    remote = default_store().remote
    assert remote is not None
    assert (remote.url, remote.read_only, remote.timeout) == (url, True, 9)
    assert default_store().remote is remote
    Remote(url, key=SECRET).write(NAME, b"signed with the stripped key")
    assert remote.read(NAME) == b"signed with the stripped key"


@pytest.mark.parametrize(
    ("content", "reason"), [(b"short", "holds 5 bytes; a key has at least 16"), (None, "cannot read")]
)
def test_an_unusable_key_is_refused(content: bytes | None, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingError, match=reason):
        remote_cache("memory://x", file, False, 5)


def placed(folder: Path) -> Path:
    """The path of the object NAME in a shared folder."""
    file = folder / STORE_FOLDER / NAME
    file.parent.mkdir(parents=True)
    return file


def test_an_endless_object_costs_a_note_and_a_miss(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    placed(tmp_path / "shared").symlink_to("/dev/zero")
    assert Store(tmp_path / "one", remote=Remote(str(tmp_path / "shared"))).load(KEY) is None
    assert "a file of the shared cache is not used" in caplog.text


def test_an_object_is_read_up_to_the_size_of_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flydsl.cache.remote._LARGEST", 4 << 20)
    with placed(tmp_path / "shared").open("wb") as sparse:
        sparse.write(MAGIC)
        sparse.truncate(6 << 30)
    data = Remote(str(tmp_path / "shared")).read(NAME)
    assert data is not None
    assert len(data) <= 6 << 20
    assert Store(tmp_path / "one", remote=Remote(str(tmp_path / "shared"))).load(KEY) is None


def test_a_reader_that_nobody_waits_for_stops(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless:
        """Gives beginnings of entries, slowly."""

        reads = 0

        def __enter__(self) -> Endless:
            return self

        def __exit__(self, *_: object) -> None: ...

        def read(self, count: int) -> bytes:
            self.reads += 1
            time.sleep(0.02)
            return MAGIC

    endless, remote = Endless(), Remote(url, timeout=0.1)
    monkeypatch.setattr(Remote, "_files", lambda self: (SimpleNamespace(open=lambda *_: endless), "root"))
    assert remote.read(NAME) is None
    time.sleep(0.1)
    before = endless.reads
    time.sleep(0.2)
    assert endless.reads == before


@pytest.mark.parametrize("path", ["/dev/zero", "folder", "fifo"])
def test_a_key_is_a_file(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(
        SettingError, match="FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE: cannot read .*: it is a .*, expected a"
    ):
        remote_cache("memory://x", tmp_path / path, False, 5)
