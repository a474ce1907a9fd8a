"""sha256 digests of files and folders; unchanged trees are recognised by their stat values.

The memo of a tree is trusted only while every file keeps its path, size, inode, mtime and ctime (which cannot be set
back), and only once all of them are two seconds old: a file may be written twice within one tick of the clock. On disk
it lies in a private folder, as who could write there could give one file the digest of another.
"""

from __future__ import annotations

import contextlib
import marshal
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from stat import S_ISDIR
from time import time_ns
from typing import NamedTuple

from flydsl.base.private_folder import PrivateFolder

_SETTLED_NS = 2_000_000_000
_LONGEST_MEMO = 256
_CHUNK = 1 << 18
_Stat = tuple[str, int, int, int, int, int]


class Digest(NamedTuple):
    """sha256 of some files, and when the latest of them changed, in nanoseconds since 1970."""

    sha256: str
    newest_ns: int


def digest_trees(roots: Iterable[Path], *, base: Path, memo: Path | None = None) -> Digest:
    """Digest of the files under each of `roots` (folders or single files); byte code and hidden files are left out."""
    stats: list[_Stat] = []
    for root in roots:
        status = os.stat(root)
        stats.extend(sorted(_walk(str(root))) if S_ISDIR(status.st_mode) else [_as_stat(str(root), status)])
    return _digest(stats, base, memo)


def digest_files(files: Iterable[Path], *, base: Path, memo: Path | None = None) -> str:
    """sha256 over names (relative to `base`; outside of it the file name only) and contents of `files`, in order.

    `memo` is a folder in a private folder, and remembers digests between processes; neither need exist, damage is
    harmless, and a folder that others may reach is not used. FileNotFoundError when there are no files.
    """
    return _digest([_stat(str(path)) for path in files], base, memo).sha256


_REMEMBERED: dict[tuple[str, ...], tuple[Sequence[_Stat], str]] = {}
"""What this process knows, by the paths of the files."""


def _digest(stats: list[_Stat], base: Path, memo: Path | None) -> Digest:
    if not stats:
        raise FileNotFoundError(f"no files to digest under {str(base)!r}")
    newest = max(max([stat[4] for stat in stats]), max([stat[5] for stat in stats]))
    paths = (str(base), *[stat[0] for stat in stats])
    known_stats, known = _REMEMBERED.get(paths, ((), ""))
    if known_stats == stats:
        return Digest(known, newest)
    slot = sha256("\0".join(paths[1:]).encode()).hexdigest()[:32]
    stat_key = sha256(marshal.dumps(stats, 2)).hexdigest()  # 2: as it was before equal objects were told apart
    known = _recall(memo, slot, stat_key)
    if not known:
        known = _digest_contents(stats, str(base))
        if newest >= time_ns() - _SETTLED_NS or any(_stat(stat[0]) != stat for stat in stats):
            return Digest(known, newest)
        _remember(memo, slot, stat_key, known)
    _REMEMBERED[paths] = (stats, known)
    return Digest(known, newest)


def _walk(folder: str) -> Iterator[_Stat]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name == "__pycache__" or name.endswith(".pyc"):
                continue
            if entry.is_dir():
                yield from _walk(entry.path)
            elif entry.is_file():  # a FIFO, a device or a link to nothing holds no code
                yield _as_stat(entry.path, entry.stat())


def _stat(path: str) -> _Stat:
    return _as_stat(path, os.stat(path))


def _as_stat(path: str, status: os.stat_result) -> _Stat:
    return path, status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _digest_contents(stats: Sequence[_Stat], base: str) -> str:
    total = sha256()
    prefix = base.rstrip(os.sep) + os.sep
    for path, *_ in stats:
        name = path.removeprefix(prefix) if path.startswith(prefix) else os.path.basename(path)
        content = sha256()
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)  # hundreds of small files: a third of the time of `open`
        try:
            while chunk := os.read(file, _CHUNK):
                content.update(chunk)
        finally:
            os.close(file)
        name = name.replace(os.sep, "/")
        total.update(f"{len(name)}:{name}:".encode() + content.digest())
    return total.hexdigest()


def _seal(stat_key: str, digest: str) -> str:
    return sha256(f"{stat_key} {digest}".encode()).hexdigest()


def _recall(memo: Path | None, slot: str, stat_key: str) -> str:
    """The remembered digest for exactly these stat values, or an empty string."""
    if memo is None:
        return ""
    try:
        with PrivateFolder.open(memo.parent, memo.name) as folder:
            known, digest, seal = folder.read(slot, _LONGEST_MEMO).decode().split()
    except (OSError, ValueError):
        return ""
    return digest if known == stat_key and seal == _seal(stat_key, digest) else ""


def _remember(memo: Path | None, slot: str, stat_key: str, digest: str) -> None:
    """Write the memo by renaming into place; a folder that cannot be written is no error."""
    if memo is not None:
        with contextlib.suppress(OSError), PrivateFolder.open(memo.parent, memo.name, create=True) as folder:
            folder.write(slot, f"{stat_key} {digest} {_seal(stat_key, digest)}\n".encode())
