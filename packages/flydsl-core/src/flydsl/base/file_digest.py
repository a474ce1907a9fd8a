"""Files and folders in, a sha256 of their names and contents out; unchanged trees are recognised by their stat values.

The memo of a tree is trusted only while every file keeps its path, size, inode, mtime and ctime (which cannot be set
back), and only once all of them are two seconds old: a file may be written twice within one tick of the clock.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from time import time_ns

__all__ = ["digest_files", "digest_tree", "newest_change_ns", "tree_files"]

_SETTLED_NS = 2_000_000_000
_Stat = tuple[str, int, int, int, int, int]


def tree_files(root: Path) -> list[Path]:
    """The files under the folder `root` (or the file `root`), sorted; byte code and hidden files are left out."""
    if root.is_file():
        return [root]
    return [Path(path) for path in sorted(_walk(str(root)))]


def digest_tree(root: Path, *, memo: Path | None = None) -> str:
    """sha256 over the relative names and contents of `tree_files(root)`; FileNotFoundError when there is none."""
    return digest_files(tree_files(root), base=root if root.is_dir() else root.parent, memo=memo)


def digest_files(files: Sequence[Path], *, base: Path, memo: Path | None = None) -> str:
    """sha256 over names (relative to `base`; outside of it the file name only) and contents of `files`.

    `memo` is a folder that remembers digests between processes; it need not exist, and damage in it is harmless.
    """
    if not files:
        raise FileNotFoundError(f"no files to digest under {str(base)!r}")
    stats = [_stat(path) for path in files]
    slot = memo / sha256("\0".join(map(str, files)).encode()).hexdigest()[:32] if memo else None
    stat_key = sha256(repr(stats).encode()).hexdigest()
    known = _recall(slot, stat_key)
    if known:
        return known
    digest = _digest_contents(files, base)
    settled = max(max(s[4:]) for s in stats) < time_ns() - _SETTLED_NS
    if slot and settled and stats == [_stat(path) for path in files]:
        _remember(slot, stat_key, digest)
    return digest


def newest_change_ns(files: Sequence[Path]) -> int:
    """The latest change of any of `files`, in nanoseconds since 1970."""
    return max(max(_stat(path)[4:]) for path in files)


def _walk(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.name == "__pycache__" or entry.name.endswith(".pyc"):
                continue
            if entry.is_dir():
                yield from _walk(entry.path)
            else:
                yield entry.path


def _stat(path: Path) -> _Stat:
    found = os.stat(path)
    return str(path), found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _digest_contents(files: Sequence[Path], base: Path) -> str:
    total = sha256()
    for path in files:
        name = path.relative_to(base).as_posix() if path.is_relative_to(base) else path.name
        with open(path, "rb") as stream:
            content = sha256()
            while chunk := stream.read(1 << 20):
                content.update(chunk)
        total.update(f"{len(name)}:{name}:".encode() + content.digest())
    return total.hexdigest()


def _seal(stat_key: str, digest: str) -> str:
    return sha256(f"{stat_key} {digest}".encode()).hexdigest()


def _recall(slot: Path | None, stat_key: str) -> str:
    """The remembered digest for exactly these stat values, or an empty string."""
    if slot is None:
        return ""
    try:
        with open(slot, encoding="ascii") as stream:
            known, digest, seal = stream.read(256).split()
    except (OSError, ValueError):
        return ""
    return digest if known == stat_key and seal == _seal(stat_key, digest) else ""


def _remember(slot: Path, stat_key: str, digest: str) -> None:
    """Write the memo by renaming into place; a folder that cannot be written is no error."""
    with contextlib.suppress(OSError):
        slot.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = slot.with_name(f"{slot.name}.{os.getpid()}.{time_ns()}")
        draft.write_text(f"{stat_key} {digest} {_seal(stat_key, digest)}\n", encoding="ascii")
        os.replace(draft, slot)
