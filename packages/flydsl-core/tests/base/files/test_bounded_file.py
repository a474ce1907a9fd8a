"""Files that are read whole: regular and not larger than allowed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from flydsl.base.files.bounded_file import read_bounded


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"four")
    assert read_bounded(file, 4) == b"four"
    with pytest.raises(OSError, match="it has more than 3 bytes"):
        read_bounded(file, 3)


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path, kind in ((tmp_path, "a folder"), (tmp_path / "fifo", "a FIFO"), (Path("/dev/zero"), "a device")):
        with pytest.raises(OSError, match=f"it is {kind}, expected a file"):
            read_bounded(path, 10)
    with pytest.raises(FileNotFoundError):
        read_bounded(tmp_path / "missing", 10)


def test_files_of_the_kernel_say_no_size_and_are_bounded(tmp_path: Path) -> None:
    assert read_bounded("/proc/self/cmdline", 1 << 20)
    with pytest.raises(OSError, match="it has more than 1 bytes"):
        read_bounded("/proc/self/cmdline", 1)
