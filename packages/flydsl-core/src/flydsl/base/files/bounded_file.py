"""Whole content of files that others name or made: regular ones, up to a size.

A device or FIFO would be read for ever or wait for ever, and a sparse file costs its author nothing.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

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
    with open_regular(path) as file:
        data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most} bytes", str(path))
    return data


def open_regular(path: str | Path) -> BinaryIO:
    """A regular file, open to be read; OSError for anything else, whose text says what it is."""
    descriptor = os.open(path, _FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            kind = next((kind for is_kind, kind in _KINDS if is_kind(mode)), "no regular file")
            raise OSError(errno.EINVAL, f"it is {kind}, expected a file", str(path))
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise
