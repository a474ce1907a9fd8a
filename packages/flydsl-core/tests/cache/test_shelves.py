"""The files of a store folder: which count, and that nothing of ours is left when they are cleared."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from flydsl.base.files.private_folder import PrivateFolder
from flydsl.cache import shelves
from flydsl.cache.shelves import kept_files, shelved_files

DIGEST = "ab" + 62 * "0"


@pytest.fixture
def root(tmp_path: Path) -> Iterator[PrivateFolder]:
    """A store folder with one file of each kind, and a user's file beside them."""
    with PrivateFolder.open(tmp_path / "v1", create=True) as root:
        with root.folder("ab", create=True) as shelf:
            for suffix in (".entry", ".index", ".lock"):
                shelf.write(DIGEST + suffix, b"12345")
            shelf.write(".left.tmp", b"123")
        with root.folder("digests", create=True) as digests:
            digests.write("0" * 32, b"digest")
            digests.write(".left.tmp", b"")
        for name in ("usage", "sweep.lock", ".usage.1.abc.tmp", "notes of the user"):
            root.write(name, b"x")
        yield root


def test_entries_and_index_records_count(root: PrivateFolder) -> None:
    assert sorted(file.suffix for file in kept_files(root)) == [".entry", ".index"]
    assert len(list(shelved_files(root))) == 4


def test_what_is_no_file_does_not_count(root: PrivateFolder) -> None:
    os.mkfifo(f"{root.path}/ab/{'ab' * 32}.entry")
    os.mkdir(f"{root.path}/ab/{'ac' * 32}.entry")
    assert len(kept_files(root)) == 2


def test_shelf_that_others_may_reach_is_left_out(root: PrivateFolder) -> None:
    os.chmod(f"{root.path}/ab", 0o755)
    assert kept_files(root) == []
    os.symlink(f"{root.path}/ab", f"{root.path}/ac")
    assert kept_files(root) == []


def test_clear_leaves_only_what_is_not_ours(root: PrivateFolder) -> None:
    assert shelves.clear(root) == (2, 10)
    assert [name for name, _ in root.listing()] == ["notes of the user"]
    assert shelves.clear(root) == (0, 0)


def test_clear_removes_what_others_planted_and_follows_no_link(root: PrivateFolder, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / f"{DIGEST}.entry").write_bytes(b"kept")
    os.symlink(tmp_path / "elsewhere", f"{root.path}/cd")
    os.symlink(tmp_path / "elsewhere" / f"{DIGEST}.entry", f"{root.path}/ab/{'ab' * 32}.entry")
    os.mkfifo(f"{root.path}/ab/{'ac' * 32}.index")
    assert shelves.clear(root) == (2, 10)
    assert [name for name, _ in root.listing()] == ["notes of the user"]
    assert (tmp_path / "elsewhere" / f"{DIGEST}.entry").read_bytes() == b"kept"
