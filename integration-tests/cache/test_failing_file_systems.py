"""Folders that cannot be written, full disks, and file systems that lack locks or renames: slower, never wrong."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from support.cached_kernel import files, scaled
from support.other_user import IS_ROOT, OTHER, run_as_other

from flydsl.cache.entry import Entry
from flydsl.cache.store import Store

ENTRY = Entry({"ir": "a"}, {}, {"code": bytes(100_000)})


@pytest.fixture
def theirs() -> Iterator[Path]:
    """A folder of the user that `run_as_other` works as."""
    with TemporaryDirectory() as folder:
        os.chmod(folder, 0o711)
        own = Path(folder, "own")
        own.mkdir(mode=0o700)
        if IS_ROOT:
            os.chown(own, OTHER, OTHER)
        yield own


def test_read_only_folder_serves_what_it_holds(theirs: Path) -> None:
    def work() -> None:
        store = Store(theirs)
        assert store.save(ENTRY)
        for path in (theirs / "v1", *(path for path in (theirs / "v1").iterdir() if path.is_dir())):
            path.chmod(0o500)
        again = Store(theirs)
        assert again.load(ENTRY.key) == ENTRY
        assert not again.save(Entry({"ir": "b"}))
        assert again.fetch({"ir": "b"}, lambda: Entry({"ir": "b"})) == Entry({"ir": "b"})
        for path in (theirs / "v1", *(path for path in (theirs / "v1").iterdir() if path.is_dir())):
            path.chmod(0o700)

    run_as_other(work)


def test_folder_that_cannot_be_made_is_no_cache_and_no_error(theirs: Path) -> None:
    def work() -> None:
        theirs.chmod(0o500)
        store = Store(theirs / "deeper")
        assert not store.is_enabled
        assert "Permission denied" in store.reason
        assert store.fetch(ENTRY.key, lambda: ENTRY) == ENTRY
        theirs.chmod(0o700)

    run_as_other(work)


def test_limited_size_of_files_keeps_the_folder_whole(theirs: Path) -> None:
    def work() -> None:
        store = Store(theirs)
        assert store.save(Entry({"ir": "small"}))
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        assert not store.save(ENTRY)
        assert store.load(ENTRY.key) is None
        assert store.load({"ir": "small"}) == Entry({"ir": "small"})
        assert not [path for path in theirs.rglob("*") if path.suffix == ".tmp"]

    run_as_other(work)


def _full_disk(folder: Path) -> Callable[[], None] | None:
    """Mount a small disk on `folder`; what unmounts it, or None where that is not allowed."""
    command = ["mount", "-t", "tmpfs", "-o", "size=256k,mode=0700", "none", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        return None
    return lambda: subprocess.run(["umount", str(folder)], check=True) and None


def test_full_disk_keeps_the_folder_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").mkdir()
    unmount = _full_disk(tmp_path / "disk")
    if unmount is None:  # the system does not let us: its answer is made up

        def full(*_: object, **__: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "replace", full)
    try:
        store = Store(tmp_path / "disk")
        saved = [store.save(Entry({"ir": str(number)}, {}, {"code": os.urandom(60_000)})) for number in range(8)]
        assert not all(saved)
        assert [store.load({"ir": str(number)}) is not None for number in range(8)] == saved
        assert not list((tmp_path / "disk").rglob("*.tmp"))
        assert store.fetch(ENTRY.key, lambda: ENTRY) == ENTRY
        count, _ = store.clear()
        assert count == sum(saved)
    finally:
        if unmount:
            unmount()


@pytest.mark.parametrize("number", [errno.EPERM, errno.EXDEV, errno.EIO, errno.ENOSPC, errno.EROFS])
def test_file_system_without_renames_is_no_cache_and_no_error(
    number: int,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
    compilations: list[str],
    warnings: pytest.LogCaptureFixture,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refuse)
    assert [scaled(2.0), scaled(2.0)] == [14.0, 14.0]
    assert len(compilations) == 2
    assert warnings.text.count("cannot write to the cache") == 1
    assert not files(cache, ".tmp")


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EPERM, errno.EOPNOTSUPP])
def test_file_system_without_locks_is_a_cache(
    number: int, cache: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refuse)
    assert [scaled(2.0), scaled(2.0)] == [14.0, 14.0]
    assert len(compilations) == 1


def test_entries_that_cannot_be_removed_are_compiled_again_with_one_warning(
    cache: Path, monkeypatch: pytest.MonkeyPatch, warnings: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    scaled(2.0)
    (entry,) = files(cache, ".entry")
    entry.write_bytes(b"damaged")
    for name in ("unlink", "rmdir", "replace"):
        monkeypatch.setattr(os, name, refuse)
    assert [scaled(2.0), scaled(2.0)] == [14.0, 14.0]
    assert warnings.text.count("a bad cache file stays") == 1


def test_moved_folder_is_a_warm_cache(cache: Path, monkeypatch: pytest.MonkeyPatch, compilations: list[str]) -> None:
    scaled(2.0)
    cache.rename(cache.with_name("moved"))
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(cache.with_name("moved")))
    assert scaled(2.0) == 14.0
    assert len(compilations) == 1
