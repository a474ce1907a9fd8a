"""Folders of one user alone, read and written through descriptors whose owner and mode were checked.

A check of a path says nothing about its next use: who owns the folder above may exchange what is there. So a folder is
opened once, checked by its descriptor, and everything in it is looked up relative to that descriptor. No symbolic link
is followed, and nothing but a regular file of this user is opened for its content: a FIFO or a device would block.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from flydsl.base.errors import FlyDSLError

_HAS_DESCRIPTORS = os.open in os.supports_dir_fd
_COMMON = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _COMMON
_FILE = getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0) | _COMMON
_TRIES = 16


class UntrustedFileError(FlyDSLError, PermissionError):
    """A file or folder that somebody else made or may change, or that is of another kind than it should be."""

    def __str__(self) -> str:
        return str(self.strerror)


class PrivateFolder:
    """An open folder of this user with mode 0700; close it, or use it in a `with` statement.

    Every method raises OSError as the system does, and `UntrustedFileError` (an OSError) for what must not be used.
    """

    __slots__ = ("_descriptor", "path")

    def __init__(self, path: str, descriptor: int | None) -> None:
        self.path, self._descriptor = path, descriptor

    @classmethod
    def open(cls, path: str | Path, *inner: str, create: bool = False) -> Self:
        """The folder `path`, or the folder that `inner` leads to from there, each of them checked.

        `create` makes those that are missing, and the parents of `path`, which are not looked at.
        """
        folder = cls._open(None, str(path), create)
        for name in inner:
            with folder:
                folder = folder.folder(name, create=create)
        return folder

    def folder(self, name: str, *, create: bool = False) -> Self:
        """The folder `name` in this one."""
        return self._open(self, name, create)

    @classmethod
    def _open(cls, parent: PrivateFolder | None, name: str, create: bool) -> Self:
        path = os.path.join(parent.path, name) if parent else name
        if not _HAS_DESCRIPTORS:
            return cls._without_descriptor(path, create)
        above = parent._descriptor if parent else None
        for _ in range(_TRIES):  # another process may remove it between our two calls
            try:
                descriptor = os.open(name, _FOLDER, dir_fd=above)
            except FileNotFoundError:
                if not create:
                    raise
            except (NotADirectoryError, PermissionError):
                _explain(path, above, name)
                raise
            else:
                break
            if parent is None:
                os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=above)
        else:
            raise FileNotFoundError(errno.ENOENT, f"{path!r} is removed as often as it is made")
        try:
            _check_folder(os.fstat(descriptor), path)
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor)

    @classmethod
    def _without_descriptor(cls, path: str, create: bool) -> Self:
        if create:
            os.makedirs(path, mode=0o700, exist_ok=True)
        _check_folder(os.stat(path, follow_symlinks=False), path)
        return cls(path, None)

    def close(self) -> None:
        """Close the descriptor; closing twice is allowed."""
        if self._descriptor is not None and self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_file(self, name: str, flags: int = os.O_RDONLY) -> tuple[int, os.stat_result]:
        """A descriptor of the regular file `name` of this user, for the caller to close, and its status."""
        try:
            descriptor = os.open(self._at(name), flags | _FILE, 0o600, dir_fd=self._descriptor)
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV):
                raise UntrustedFileError(error.errno, f"{name!r} is no regular file") from None
            raise
        try:
            status = os.fstat(descriptor)
            _check_file(status, name, writes=bool(flags & (os.O_WRONLY | os.O_RDWR)))
        except BaseException:
            os.close(descriptor)
            raise
        return descriptor, status

    def read(self, name: str, most: int) -> bytes:
        """The content of a file; OSError (EFBIG) when it is longer than `most` bytes."""
        descriptor, status = self.open_file(name)
        try:
            return read_to_end(descriptor, b"", status.st_size, most)
        finally:
            os.close(descriptor)

    def write(self, name: str, data: bytes) -> None:
        """Make or replace a file: it appears whole, as it is written under another name that begins with a dot.

        There is no fsync: who reads must notice a file that was torn by a power cut.
        """
        temporary = f".{name}.{os.getpid()}.{os.urandom(6).hex()}.tmp"
        try:
            with open(self.open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)[0], "wb") as stream:
                stream.write(data)
            os.replace(self._at(temporary), self._at(name), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor)
        except BaseException:
            self.remove(temporary)
            raise

    def remove(self, name: str) -> bool:
        """Remove a file of whatever kind, or an empty folder; whether that was possible."""
        for remove in (os.unlink, os.rmdir):
            with suppress(OSError):
                remove(self._at(name), dir_fd=self._descriptor)
                return True
        return False

    def listing(self) -> Iterator[tuple[str, os.stat_result]]:
        """Names and status of what is in it, links not followed; what vanishes meanwhile is left out."""
        with os.scandir(self.path if self._descriptor is None else self._descriptor) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    yield entry.name, entry.stat(follow_symlinks=False)

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else os.path.join(self.path, name)


def read_to_end(descriptor: int, head: bytes, size: int, most: int) -> bytes:
    """What follows `head`, which was read, behind it: `size` bytes in all, or more when the file grows."""
    blocks, count = [head], len(head)
    while count <= most and (block := os.read(descriptor, min(max(size - count, 0), most) + 1)):
        blocks.append(block)
        count += len(block)
    if count > most:
        raise OSError(errno.EFBIG, f"it is longer than {most} bytes")
    return b"".join(blocks)


def _explain(path: str, above: int | None, name: str) -> None:
    """Raise `UntrustedFileError` when that is why a folder could not be opened."""
    status = os.stat(name, dir_fd=above, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        reason = f"{path!r} is a symbolic link, which is not followed: put a folder there"
        raise UntrustedFileError(errno.ENOTDIR, reason) from None
    _check_folder(status, path)


def _check_folder(status: os.stat_result, path: str) -> None:
    if not stat.S_ISDIR(status.st_mode):
        raise UntrustedFileError(errno.ENOTDIR, f"{path!r} is not a folder")
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid():
        reason = f"belongs to user {status.st_uid}, not to {os.geteuid()}: set FLYDSL_RUNTIME_CACHE_DIR"
        raise UntrustedFileError(errno.EPERM, f"{path!r} {reason}")
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise UntrustedFileError(errno.EPERM, f"{path!r} has mode {mode:o}, others may reach it: chmod 700 it")


def _check_file(status: os.stat_result, name: str, *, writes: bool) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise UntrustedFileError(errno.EINVAL, f"{name!r} is no regular file")
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid != os.geteuid():
        raise UntrustedFileError(errno.EPERM, f"{name!r} belongs to user {status.st_uid}, not to {os.geteuid()}")
    if status.st_mode & 0o022:
        mode = stat.S_IMODE(status.st_mode)
        raise UntrustedFileError(errno.EPERM, f"{name!r} has mode {mode:o}, others may write it")
    if writes and status.st_nlink > 1:
        raise UntrustedFileError(errno.EMLINK, f"{name!r} has {status.st_nlink} names, the others may be somebody's")
