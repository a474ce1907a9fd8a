"""The cache folder is written, read and locked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flydsl.tools.examine import cache_folder
from flydsl.tools.examine.cache_folder import describe_folder, examine_cache, file_system, is_shared

MOUNTS = (
    "/dev/root / ext4 rw 0 0",
    "server:/home /home nfs4 rw 0 0",
    "none /home/a\\040b/tmp tmpfs rw 0 0",
    "x /homes xfs rw 0 0",
    "",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("FLYDSL_RUNTIME_ENABLE_CACHE", raising=False)
    monkeypatch.setenv("FLYDSL_RUNTIME_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache" / "v1"


def test_a_good_folder(folder: Path) -> None:
    (finding,) = examine_cache()
    assert not finding.is_problem, finding
    first, second, *_ = finding.text.splitlines()
    assert first == str(folder)
    assert f"user {os.geteuid()}, mode 700, can be written, locks hold" in second
    assert list(folder.iterdir()) == []


def test_a_cache_that_is_switched_off_is_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_RUNTIME_ENABLE_CACHE", "0")
    (finding,) = examine_cache()
    assert (finding.text, finding.is_problem) == ("off: FLYDSL_RUNTIME_ENABLE_CACHE is 0", False)


def test_a_folder_that_others_may_write_is_a_problem_and_says_what_to_do(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    folder.chmod(0o777)
    (finding,) = examine_cache()
    assert finding.is_problem
    assert "has mode 777, others may reach it" in finding.text
    assert "set FLYDSL_RUNTIME_CACHE_DIR" in finding.text


def test_a_folder_that_takes_no_file_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache_folder.PrivateFolder, "write", full)
    (finding,) = examine_cache()
    assert finding.is_problem
    assert "No space left on device" in finding.text


def test_locks_that_two_hold_at_once_are_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def anybodys(*_: object) -> Iterator[bool]:
        yield True

    folder.mkdir(parents=True, mode=0o700)
    monkeypatch.setattr(cache_folder, "file_lock", anybodys)
    assert "no locks here" in describe_folder(folder)


@pytest.mark.parametrize(
    ("path", "kind", "shared"),
    [
        ("/x/y", "ext4", False),
        ("/home/me", "nfs4", True),
        ("/home/a b/tmp/x", "tmpfs", False),
        ("/homes", "xfs", False),
        ("/homesick", "ext4", False),
    ],
)
def test_the_file_system_is_that_of_the_innermost_mount(path: str, kind: str, shared: bool) -> None:
    assert file_system(Path(path), MOUNTS) == kind
    assert is_shared(kind) == shared


def test_nothing_is_said_where_mounts_are_not_told() -> None:
    assert file_system(Path("/x"), ()) == ""
    assert is_shared("fuse.sshfs")
