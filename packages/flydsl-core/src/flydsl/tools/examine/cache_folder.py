"""The cache folder as `flydsl doctor` examines it: written, read, and locked."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from flydsl.base import settings
from flydsl.base.files.private_folder import PrivateFolder
from flydsl.cache.lock import file_lock
from flydsl.cache.store import default_store
from flydsl.tools.examine.finding import Finding, attempt

_MOUNTS = Path("/proc/self/mounts")
_ELSEWHERE = "set FLYDSL_RUNTIME_CACHE_DIR to a folder of your own on a local disk"
_SHARED = ("nfs", "nfs4", "cifs", "smb3", "lustre", "gpfs", "beegfs", "fuse", "9p", "afs", "ceph")


def examine_cache() -> Iterator[Finding]:
    """Where compiled code is kept, and whether it can be."""
    store = default_store()
    if not settings.runtime.enable_cache:
        yield Finding("cache", f"off: {store.reason}")
        return
    if not store.is_enabled or store.path is None:
        yield Finding("cache", f"off: {store.reason}\n{_ELSEWHERE}; until then each process compiles anew", True)
        return
    folder = store.path
    yield attempt("cache", lambda: describe_folder(folder), _ELSEWHERE)


def describe_folder(folder: Path) -> str:
    """Path, owner, mode and file system of a folder in which a file was written, read, locked and removed."""
    status = folder.stat()
    kind = file_system(folder, _mounts())
    name = f"doctor.{os.getpid()}"
    with PrivateFolder.open(folder) as opened:
        locks = _lock_twice(opened, f"{name}.lock")
        opened.write(name, b"doctor")
        try:
            if opened.read(name, 64) != b"doctor":
                raise OSError(f"{folder} gives back other bytes than were written")
        finally:
            opened.remove(name)
    owner = f"user {status.st_uid}, mode {stat.S_IMODE(status.st_mode):o}"
    shared = "\nfiles of other machines: two may do the same work, never a wrong one" if is_shared(kind) else ""
    return f"{folder}\n{kind or 'unknown file system'}, {owner}, can be written, {locks}{shared}"


def file_system(folder: Path, mounts: Iterable[str]) -> str:
    """The type of the file system that `folder` is on, by the lines of a table of mounts; empty when it is not told."""
    path, best, found = os.path.realpath(folder), "", ""
    for line in mounts:
        _, point, kind, *_ = [*line.split(), "", "", ""]
        point = point.encode().decode("unicode_escape")  # a blank stands there as \\040
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if point and inside and len(point) >= len(best):
            best, found = point, kind
    return found


def is_shared(kind: str) -> bool:
    """Whether other machines may use a file system of this type at the same time."""
    return kind.partition(".")[0] in _SHARED


def _mounts() -> list[str]:
    try:
        return _MOUNTS.read_text(errors="replace").splitlines()
    except OSError:  # not Linux
        return []


def _lock_twice(folder: PrivateFolder, name: str) -> str:
    with file_lock(folder, name, 0.0) as first, file_lock(folder, name, 0.0) as second:
        if first and not second:
            return "locks hold"
    return "no locks here: processes that need the same kernel at once each compile it"
