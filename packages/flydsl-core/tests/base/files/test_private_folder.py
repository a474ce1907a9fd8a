"""Private folders: what others made, or may change, is refused; and no name leads out of the folder."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from flydsl.base.files import private_folder
from flydsl.base.files.private_folder import PrivateFolder, UntrustedFileError

IS_ROOT = os.geteuid() == 0
OTHER = 65534


@pytest.fixture(params=["descriptors", "paths"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateFolder]:
    """A new private folder, on a system that looks up names relative to descriptors and on one that does not."""
    monkeypatch.setattr(private_folder, "_HAS_DESCRIPTORS", request.param == "descriptors")
    with PrivateFolder.open(tmp_path / "parent" / "own", create=True) as folder:
        yield folder


def give_away(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make `path` another user's: root can, and for others `fstat` is made to say so."""
    if IS_ROOT:
        os.chown(path, OTHER, -1, follow_symlinks=False)
        return
    number, real = os.stat(path, follow_symlinks=False).st_ino, os.fstat

    def fstat(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if status.st_ino != number:
            return status
        return os.stat_result([*status[:4], OTHER, *status[5:]])

    monkeypatch.setattr(os, "fstat", fstat)


def test_written_file_is_read_and_listed(folder: PrivateFolder) -> None:
    folder.write("a", b"old")
    folder.write("a", b"new content")
    assert folder.read("a", 11) == b"new content"
    assert [(name, status.st_size) for name, status in folder.listing()] == [("a", 11)]


def test_files_and_folders_are_for_their_owner_alone(folder: PrivateFolder) -> None:
    folder.write("a", b"")
    folder.folder("inner", create=True).close()
    for path, mode in ((folder.path, 0o700), (f"{folder.path}/inner", 0o700), (f"{folder.path}/a", 0o600)):
        assert stat.S_IMODE(os.stat(path).st_mode) == mode


def test_missing_folder_and_file_are_missing(folder: PrivateFolder, tmp_path: Path) -> None:
    for open_missing in (lambda: PrivateFolder.open(tmp_path / "none"), lambda: folder.folder("none")):
        with pytest.raises(FileNotFoundError):
            open_missing()
    with pytest.raises(FileNotFoundError):
        folder.read("none", 1)
    assert not folder.remove("none")


def test_file_that_is_too_long_is_an_error(folder: PrivateFolder) -> None:
    folder.write("a", bytes(100))
    with pytest.raises(OSError, match="longer than 99 bytes"):
        folder.read("a", 99)


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o707, 0o777])
def test_folder_that_others_may_reach_is_refused(folder: PrivateFolder, mode: int) -> None:
    os.chmod(folder.path, mode)
    with pytest.raises(UntrustedFileError, match=rf"has mode {mode:o}, others may reach it: chmod 700 it"):
        PrivateFolder.open(folder.path)


def test_folder_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own" / "inner").mkdir(mode=0o700, parents=True)
    (tmp_path / "own").chmod(0o700)
    give_away(tmp_path / "own" / "inner", monkeypatch)
    with pytest.raises(UntrustedFileError, match=rf"belongs to user {OTHER}, not to {os.geteuid()}"):
        PrivateFolder.open(tmp_path / "own", "inner")


def test_link_to_a_folder_is_refused(folder: PrivateFolder, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(folder.path)
    with pytest.raises(UntrustedFileError, match=r"symbolic link|not a folder"):
        PrivateFolder.open(tmp_path / "link", create=True)


def test_file_is_no_folder(folder: PrivateFolder) -> None:
    folder.write("a", b"")
    with pytest.raises(UntrustedFileError, match="is not a folder"):
        folder.folder("a")


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_file_that_others_may_write_is_refused(folder: PrivateFolder, mode: int) -> None:
    folder.write("a", b"x")
    os.chmod(f"{folder.path}/a", mode)
    with pytest.raises(UntrustedFileError, match="others may write it"):
        folder.read("a", 1)


def test_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with PrivateFolder.open(tmp_path / "own", create=True) as folder:
        folder.write("a", b"x")
        give_away(tmp_path / "own" / "a", monkeypatch)
        with pytest.raises(UntrustedFileError, match=f"belongs to user {OTHER}"):
            folder.read("a", 1)


def plant_socket(path: str) -> None:
    here = os.getcwd()
    os.chdir(os.path.dirname(path))  # names of sockets are short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(os.path.basename(path))
    finally:
        os.chdir(here)


PLANTS: dict[str, Callable[[str], None]] = {
    "folder": os.mkdir,
    "fifo": os.mkfifo,
    "socket": plant_socket,
    "link to a device": lambda path: os.symlink("/dev/zero", path),
    "link to a file": lambda path: os.symlink(__file__, path),
    "link to nothing": lambda path: os.symlink("nothing", path),
}


@pytest.mark.parametrize("plant", PLANTS.values(), ids=PLANTS)
@pytest.mark.parametrize("flags", [os.O_RDONLY, os.O_RDWR, os.O_RDWR | os.O_CREAT])
def test_what_is_no_file_is_refused_at_once_and_can_be_replaced(
    folder: PrivateFolder, plant: Callable[[str], None], flags: int
) -> None:
    plant(f"{folder.path}/a")
    with pytest.raises(UntrustedFileError, match="is no regular file"):
        folder.open_file("a", flags)
    assert folder.remove("a")
    folder.write("a", b"x")
    assert folder.read("a", 1) == b"x"


@pytest.mark.skipif(not IS_ROOT, reason="devices are made by root")
def test_device_is_refused(folder: PrivateFolder) -> None:
    try:
        os.mknod(f"{folder.path}/a", 0o600 | stat.S_IFCHR, os.makedev(1, 5))
    except PermissionError:  # a container without the right to
        pytest.skip("no right to make devices")
    with pytest.raises(UntrustedFileError, match="is no regular file"):
        folder.read("a", 1)


def test_file_with_a_second_name_is_read_and_never_written(folder: PrivateFolder, tmp_path: Path) -> None:
    folder.write("a", b"x")
    os.link(f"{folder.path}/a", tmp_path / "second")
    assert folder.read("a", 1) == b"x"
    with pytest.raises(UntrustedFileError, match="has 2 names"):
        folder.open_file("a", os.O_RDWR)
    folder.write("a", b"y")
    assert (tmp_path / "second").read_bytes() == b"x"


def test_link_in_the_place_of_a_file_is_replaced_and_its_target_stays(folder: PrivateFolder, tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"kept")
    os.symlink(tmp_path / "target", f"{folder.path}/a")
    folder.write("a", b"x")
    assert (tmp_path / "target").read_bytes() == b"kept"
    assert folder.read("a", 1) == b"x"


def test_exchanged_folder_is_never_looked_into(tmp_path: Path) -> None:
    with PrivateFolder.open(tmp_path / "own", create=True) as folder:
        folder.write("a", b"mine")
        (tmp_path / "own").rename(tmp_path / "moved")
        (tmp_path / "own").mkdir()
        (tmp_path / "own" / "a").write_bytes(b"theirs")
        assert folder.read("a", 10) == b"mine"
        folder.write("b", b"")
        assert folder.remove("a")
        assert os.listdir(tmp_path / "own") == ["a"]
        assert os.listdir(tmp_path / "moved") == ["b"]


def test_failed_write_leaves_the_old_content_and_nothing_else(
    folder: PrivateFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(18, "invalid cross-device link")

    folder.write("a", b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        with pytest.raises(OSError, match="cross-device"):
            folder.write("a", b"new")
    assert [name for name, _ in folder.listing()] == ["a"]
    assert folder.read("a", 3) == b"old"


def test_writing_into_a_removed_folder_is_an_error_that_names_it(folder: PrivateFolder) -> None:
    os.rmdir(folder.path)
    with pytest.raises(FileNotFoundError):
        folder.write("a", b"")


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    with PrivateFolder.open(tmp_path / "own", "a", "b", create=True) as folder:
        folder.write("x", b"")
        folder.read("x", 1)
    (tmp_path / "own" / "a").chmod(0o755)
    with pytest.raises(UntrustedFileError):
        PrivateFolder.open(tmp_path / "own", "a", "b")
    assert len(os.listdir("/proc/self/fd")) == before
