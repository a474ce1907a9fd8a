"""Eviction: a store is kept below its size limit, least recently used files go first.

A log of 8-byte sizes, appended by every writer, estimates the total without listing the folder. It may be wrong (lost,
torn, written twice): a sweep, which counts the files, corrects it, and comes at the latest after `_SWEEP_AFTER` writes.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress

from flydsl.base.files.private_folder import PrivateFolder
from flydsl.cache.lock import file_lock
from flydsl.cache.shelves import DIGESTS, LOCK, SWEEP_LOCK, TEMPORARY, USAGE, ShardFile, shelved_files

_SIZE = struct.Struct("<Q")
_SWEEP_AFTER = 4096
_KEEP = 0.9
_STALE_SECONDS = 3600.0


def note_written(root: PrivateFolder, size: int, limit: int) -> None:
    """Note `size` bytes written to a store; sweep when the account passes `limit` or cannot be read."""
    with suppress(OSError):
        try:
            total = _total(_append(root, _SIZE.pack(size)))
        except OSError:  # something else is in its place
            root.remove(USAGE)
            total = _total(_append(root, _SIZE.pack(size)))
        if total is None or total > limit:
            sweep(root, limit)


def sweep(root: PrivateFolder, limit: int) -> None:
    """Count the files and remove the longest unused until 90 % of `limit` is left; drop writers' leftovers."""
    with file_lock(root, SWEEP_LOCK, timeout=0.0) as is_locked:
        if not is_locked:
            return
        files = _kept(root)
        _drop_leftovers(root)
        with suppress(OSError), root.folder(DIGESTS) as digests:
            _drop_leftovers(digests)
        total = sum(file.status.st_size for file in files)
        if total > limit:
            total = _evict(root, sorted(files, key=lambda file: file.status.st_mtime), total, limit)
        root.write(USAGE, _SIZE.pack(total))


def _append(root: PrivateFolder, record: bytes) -> bytes:
    """The log with `record` at its end."""
    descriptor, _ = root.open_file(USAGE, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        os.write(descriptor, record)
        os.lseek(descriptor, 0, os.SEEK_SET)
        return os.read(descriptor, (_SWEEP_AFTER + 1) * _SIZE.size)
    finally:
        os.close(descriptor)


def _evict(root: PrivateFolder, oldest_first: list[ShardFile], total: int, limit: int) -> int:
    # the newest file stays, even when it alone passes the limit: it is what the caller just wrote
    for file in oldest_first[:-1]:
        if total <= limit * _KEEP:
            break
        with suppress(OSError), root.folder(file.shelf) as shelf:
            shelf.remove(file.name)
        total -= file.status.st_size
    return total


def _kept(root: PrivateFolder) -> list[ShardFile]:
    """All entries and index records; a writer's leftover is removed."""
    files: list[ShardFile] = []
    for shelf, file in shelved_files(root):
        if file.is_kept:
            files.append(file)
        elif file.suffix in (TEMPORARY, LOCK) and _is_stale(file.status):
            shelf.remove(file.name)
    return files


def _drop_leftovers(folder: PrivateFolder) -> None:
    for name, status in list(folder.listing()):
        if name.endswith(TEMPORARY) and _is_stale(status):
            folder.remove(name)


def _is_stale(status: os.stat_result) -> bool:
    return status.st_mtime < time.time() - _STALE_SECONDS


def _total(log: bytes) -> int | None:
    """The sum of the log, or None when it is torn, too long or only just begun."""
    if len(log) % _SIZE.size or not _SIZE.size < len(log) <= _SWEEP_AFTER * _SIZE.size:
        return None
    return sum(int(value) for (value,) in _SIZE.iter_unpack(log))
