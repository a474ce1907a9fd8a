"""sha256 digests of files and folders; unchanged trees are recognised by their stat values.

The memo of a tree is trusted only while every file keeps its path, size, inode, mtime and ctime (which cannot be set
back), and only once all of them are two seconds old: a file may be written twice within one tick of the clock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from time import time_ns
from typing import NamedTuple

_SETTLED_NS = 2_000_000_000
_Stat = tuple[str, int, int, int, int, int]


class Digest(NamedTuple):
    """sha256 of some files, and when the latest of them changed, in nanoseconds since 1970."""

    sha256: str
    newest_ns: int


def digest_trees(roots: Iterable[Path], *, base: Path, memo: Path | None = None) -> Digest:
    """Digest of the files under each of `roots` (folders or single files); byte code and hidden files are left out."""
    stats: list[_Stat] = []
    for root in roots:
        stats.extend(sorted(_walk(str(root))) if root.is_dir() else [_stat(str(root))])
    return _digest(stats, base, memo)


def digest_files(files: Iterable[Path], *, base: Path, memo: Path | None = None) -> str:
    """sha256 over names (relative to `base`; outside of it the file name only) and contents of `files`, in order.

    `memo` is a folder that remembers digests between processes; it need not exist, and damage in it is harmless.
    FileNotFoundError when there are no files.
    """
    return _digest([_stat(str(path)) for path in files], base, memo).sha256


def _digest(stats: Sequence[_Stat], base: Path, memo: Path | None) -> Digest:
    if not stats:
        raise FileNotFoundError(f"no files to digest under {str(base)!r}")
    newest = max(max(stat[4:]) for stat in stats)
    slot = memo / sha256("\0".join(stat[0] for stat in stats).encode()).hexdigest()[:32] if memo else None
    stat_key = sha256(repr(stats).encode()).hexdigest()
    known = _recall(slot, stat_key)
    if known:
        return Digest(known, newest)
    content = _digest_contents(stats, str(base))
    if slot and newest < time_ns() - _SETTLED_NS and all(_stat(stat[0]) == stat for stat in stats):
        _remember(slot, stat_key, content)
    return Digest(content, newest)


def _walk(folder: str) -> Iterator[_Stat]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = entry.name
            if name.startswith(".") or name == "__pycache__" or name.endswith(".pyc"):
                continue
            if entry.is_dir():
                yield from _walk(entry.path)
            else:
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
        with open(path, "rb") as stream:
            content = sha256()
            while chunk := stream.read(1 << 20):
                content.update(chunk)
        name = name.replace(os.sep, "/")
        total.update(f"{len(name)}:{name}:".encode() + content.digest())
    return total.hexdigest()


def _seal(stat_key: str, digest: str) -> str:
    return sha256(f"{stat_key} {digest}".encode()).hexdigest()


def _recall(slot: Path | None, stat_key: str) -> str:
    """The remembered digest for exactly these stat values, or an empty string."""
    if slot is None:
        return ""
    try:
        with open(slot, encoding="utf-8") as stream:
            known, digest, seal = stream.read(256).split()
    except (OSError, ValueError):
        return ""
    return digest if known == stat_key and seal == _seal(stat_key, digest) else ""


def _remember(slot: Path, stat_key: str, digest: str) -> None:
    """Write the memo by renaming into place; a folder that cannot be written is no error."""
    with contextlib.suppress(OSError):
        slot.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = slot.with_name(f"{slot.name}.{os.getpid()}.{time_ns()}")
        draft.write_text(f"{stat_key} {digest} {_seal(stat_key, digest)}\n", encoding="utf-8")
        os.replace(draft, slot)
