"""Eviction: a store is kept below its size limit, least recently used files go first.

A log of 8-byte sizes, appended by every writer, estimates the total without listing the folder. It may be wrong (lost,
torn, written twice): a sweep, which counts the files, corrects it, and comes at the latest after `_SWEEP_AFTER` writes.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress
from pathlib import Path

from flydsl.cache.lock import file_lock

_SIZE = struct.Struct("<Q")
_SWEEP_AFTER = 4096
_KEEP = 0.9
_STALE_SECONDS = 3600.0


class Usage:
    """The account of one store folder."""

    def __init__(self, folder: Path, limit: int) -> None:
        self._folder, self._limit = folder, limit
        self._log = folder / "usage"

    def add(self, size: int) -> None:
        """Note `size` bytes written; sweep when the account says that the limit is passed, or cannot be read."""
        with suppress(OSError):
            with open(self._log, "ab", buffering=0) as stream:
                stream.write(_SIZE.pack(size))
            total = self._total(self._log.read_bytes())
            if total is None or total > self._limit:
                self.sweep()

    def sweep(self) -> None:
        """Count the files and remove the longest unused until 90 % of the limit is left; drop writers' leftovers."""
        with file_lock(self._folder / "sweep.lock", timeout=0.0) as is_locked:
            if not is_locked:
                return
            files = self._files()
            total = sum(size for _, size, _ in files)
            if total > self._limit:
                total = self._evict(sorted(files), total)
            temporary = self._log.with_name(f".usage.{os.getpid()}.tmp")
            temporary.write_bytes(_SIZE.pack(total))
            os.replace(temporary, self._log)

    def _evict(self, oldest_first: list[tuple[float, int, str]], total: int) -> int:
        # the newest file stays, even when it alone passes the limit: it is what the caller just wrote
        for _, size, path in oldest_first[:-1]:
            if total <= self._limit * _KEEP:
                break
            with suppress(OSError):
                os.unlink(path)
            total -= size
        return total

    def _files(self) -> list[tuple[float, int, str]]:
        """(time of last use, size, path) of all entries and index records; a writer's leftover is removed."""
        files: list[tuple[float, int, str]] = []
        stale = time.time() - _STALE_SECONDS
        for path in self._folder.glob("??/*"):
            with suppress(OSError):
                status = path.stat()
                if path.suffix not in (".tmp", ".lock"):
                    files.append((status.st_mtime, status.st_size, str(path)))
                elif status.st_mtime < stale:
                    path.unlink()
        return files

    @staticmethod
    def _total(log: bytes) -> int | None:
        """The sum of the log, or None when it is torn, too long or only just begun."""
        if len(log) % _SIZE.size or not _SIZE.size < len(log) <= _SWEEP_AFTER * _SIZE.size:
            return None
        return sum(int(value) for (value,) in _SIZE.iter_unpack(log))
