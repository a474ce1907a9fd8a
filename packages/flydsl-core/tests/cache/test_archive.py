"""Archives of the cache: what goes out comes in, and nothing that was changed on the way."""

from __future__ import annotations

import gzip
import io
import os
import stat
import tarfile
from pathlib import Path

import pytest

from flydsl.cache.archive import CacheArchiveError, export_archive, import_archive, verify
from flydsl.cache.entry import Entry, encode
from flydsl.cache.key import digest
from flydsl.cache.store import Store


def key_of(name: str) -> dict[str, str]:
    return {"backend": "cpu", "ir": name}


def filled(folder: Path, *names: str) -> Store:
    """A store with an entry, and an index record that leads to it, of each name."""
    store = Store(folder)
    for name in names:
        store.save(Entry(key_of(name), {"name": name}, {"device": name.encode() * 100}))
        store.link({"sources": name}, key_of(name))
    return store


def archive_of(file: Path, *members: tuple[str, bytes]) -> Path:
    with tarfile.open(file, "w:gz") as archive:
        for name, data in members:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file


def member_of(entry: Entry, suffix: str = ".entry") -> tuple[str, bytes]:
    name = digest(entry.key)
    return f"{name[:2]}/{name}{suffix}", encode(entry)


def test_what_one_store_exports_another_imports(tmp_path: Path) -> None:
    one, other = filled(tmp_path / "one", "add", "softmax"), Store(tmp_path / "other")
    count, size = export_archive(one, tmp_path / "cache.tar.gz")
    assert (count, size) == (2, (tmp_path / "cache.tar.gz").stat().st_size)
    found = import_archive(other, tmp_path / "cache.tar.gz")
    assert (found.added, found.present, found.refused) == (4, 0, [])
    for name in ("add", "softmax"):
        assert other.resolve({"sources": name}) == key_of(name)
        assert other.load(key_of(name)) == one.load(key_of(name))
    assert import_archive(other, tmp_path / "cache.tar.gz").present == 4


def test_equal_stores_give_equal_archives(tmp_path: Path) -> None:
    archives = []
    for folder in ("one", "other"):
        export_archive(filled(tmp_path / folder, "softmax", "add"), tmp_path / f"{folder}.tar.gz")
        archives.append((tmp_path / f"{folder}.tar.gz").read_bytes())
    assert archives[0] == archives[1]


def test_chosen_entries_go_with_the_records_that_lead_to_them(tmp_path: Path) -> None:
    store = filled(tmp_path / "one", "add", "softmax")
    assert export_archive(store, tmp_path / "some.tar.gz", frozenset({digest(key_of("add"))}))[0] == 1
    other = Store(tmp_path / "other")
    assert import_archive(other, tmp_path / "some.tar.gz").added == 2
    assert other.resolve({"sources": "add"}) == key_of("add")
    assert other.load(key_of("softmax")) is None


def damaged(name: str, data: bytes) -> tuple[str, bytes]:
    return name, data[:-1] + bytes([data[-1] ^ 1])


ADD = Entry(key_of("add"), {"name": "add"}, {"device": b"code"})


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (damaged(*member_of(ADD)), "sha256"),
        ((member_of(Entry(key_of("other")))[0], encode(ADD)), "states another key"),
        (member_of(ADD, ".index"), "another kind of file"),
        (member_of(Entry(key_of("add"), {"leads_to": {}})), "another kind of file"),
        (("../../evil.entry", encode(ADD)), "no file of a cache"),
        (("/etc/passwd", b"x"), "no file of a cache"),
        (("ab/abcd.lock", b"x"), "no file of a cache"),
        ((member_of(ADD)[0], b""), "too few"),
    ],
)
def test_a_member_that_is_not_as_it_was_written_is_refused(
    member: tuple[str, bytes], reason: str, tmp_path: Path
) -> None:
    good = Entry(key_of("good"), {"name": "good"}, {"device": b"code"})
    store = Store(tmp_path / "store")
    found = import_archive(store, archive_of(tmp_path / "a.tar.gz", member, member_of(good)))
    assert found.added == 1
    ((_, told),) = found.refused
    assert reason in told
    assert store.load(key_of("good")) == good
    assert len(store.kept()) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"no archive", gzip.compress(b"no tar"), gzip.compress(bytes(10240))[:20]],
    ids=["empty", "text", "no tar", "cut"],
)
def test_a_file_that_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "a.tar.gz"
    file.write_bytes(content)
    with pytest.raises(CacheArchiveError, match="is no whole archive"):
        import_archive(Store(tmp_path / "store"), file)


def test_an_archive_that_was_cut_gives_what_is_whole(tmp_path: Path) -> None:
    store = filled(tmp_path / "one", *map(str, range(20)))
    _, size = export_archive(store, tmp_path / "a.tar.gz")
    (tmp_path / "a.tar.gz").write_bytes((tmp_path / "a.tar.gz").read_bytes()[: size // 2])
    other = Store(tmp_path / "other")
    with pytest.raises(CacheArchiveError, match="is no whole archive"):
        import_archive(other, tmp_path / "a.tar.gz")
    assert not list(verify(other))


def test_places_that_cannot_be_read_or_written_are_told(tmp_path: Path) -> None:
    with pytest.raises(CacheArchiveError, match="cannot read .*missing"):
        import_archive(Store(tmp_path), tmp_path / "missing")
    with pytest.raises(CacheArchiveError, match="cannot write .*a.tar.gz"):
        export_archive(filled(tmp_path / "one", "add"), tmp_path / "missing" / "a.tar.gz")


def test_verification_names_each_damaged_file(tmp_path: Path) -> None:
    store = filled(tmp_path, "add", "softmax")
    assert list(verify(store)) == []
    bad = next(file for file in store.kept() if file.suffix == ".entry")
    assert store.path is not None
    path = store.path / bad.shelf / bad.name
    path.write_bytes(path.read_bytes()[:-1])
    ((name, reason),) = verify(store)
    assert name == bad.name
    assert "not where the header states" in reason


def test_an_export_replaces_regular_files_only(tmp_path: Path) -> None:
    store, target = filled(tmp_path / "one", "add"), tmp_path / "target"
    target.write_text("kept")
    (tmp_path / "link").symlink_to(target)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name, kind in (("link", "a symbolic link"), ("fifo", "no regular file"), ("folder", "no regular file")):
        with pytest.raises(CacheArchiveError, match=f"cannot write .*{name}.: it is {kind}"):
            export_archive(store, tmp_path / name)
    with pytest.raises(CacheArchiveError, match="cannot write '/dev/full': it is no regular file"):
        export_archive(store, Path("/dev/full"))
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    assert target.read_text() == "kept"
    export_archive(store, target)
    assert import_archive(Store(tmp_path / "other"), target).added == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fifo", "folder", "link", "one", "other", "target"]


@pytest.mark.parametrize("path", ["/dev/zero", "fifo", "folder"])
def test_an_import_reads_regular_files_only(path: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CacheArchiveError, match="cannot read .*(it is a (device|FIFO)|directory|folder)"):
        import_archive(Store(tmp_path / "store"), tmp_path / path)
