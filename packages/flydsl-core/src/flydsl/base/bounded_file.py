"""Whole content of files that others name or made: regular ones, up to a size.

A device or FIFO would be read for ever or wait for ever, and a sparse file costs its author nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
)


def read_bounded(path: str | Path, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes; OSError for any other, whose text says what it is."""
    descriptor = os.open(path, _FLAGS)
    try:
        check_regular(os.fstat(descriptor), path, most)
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(most + 1)
    finally:
        os.close(descriptor)
    if len(data) > most:
        raise _too_large(path, most)
    return data


def check_regular(status: os.stat_result, path: str | Path, most: int) -> None:
    """OSError unless this is the status of a regular file of at most `most` bytes."""
    if not stat.S_ISREG(status.st_mode):
        kind = next((kind for is_kind, kind in _KINDS if is_kind(status.st_mode)), "no regular file")
        raise OSError(errno.EINVAL, f"it is {kind}, expected a file", str(path))
    if status.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str | Path, most: int) -> OSError:
    return OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
