"""sha256 digests of files and folders; unchanged trees are recognised by their stat values.

The memo of a tree names its folders and files. It is trusted only while each of them keeps its size, inode, mtime and
ctime (which cannot be set back): a file that is edited in place has others, and so has a folder in which one appears,
vanishes or is renamed. It counts only once all of them are two seconds old, as a file may be written twice within one
tick of the clock. On disk it lies in a private folder, as who could write there could give one file the digest of
another.
"""

from __future__ import annotations

import marshal
import os
from collections.abc import Iterable, Sequence
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from stat import S_ISDIR
from time import time_ns
from typing import NamedTuple, TypeAlias

from flydsl.base.files.sealed_memo import recall, remember

SETTLED_NS = 2_000_000_000  # the age from which on stat values count
_CHUNK = 1 << 18


class Digest(NamedTuple):
    """sha256 of some files, and when the latest of them changed, in nanoseconds since 1970."""

    sha256: str
    newest_ns: int


class _Memo(NamedTuple):
    """A digest, and of what: folders and files, with a digest of all their stat values, and of those of the files."""

    digest: Digest
    folders: list[str]
    files: list[str]
    states: str
    file_states: str


def digest_files(files: Iterable[Path], *, base: Path, memo: Path | None = None) -> str:
    """sha256 over names (relative to `base`; outside of it the file name only) and contents of `files`, in order."""
    return digest_trees(files, base=base, memo=memo).sha256


def digest_trees(roots: Iterable[Path], *, base: Path, memo: Path | None = None) -> Digest:
    """Digest of the files under each of `roots` (folders or single files).

    Hidden files are left out, and byte code, unless it lies where its source would, without one: that is what runs.

    `memo` is a folder in a private folder, and remembers digests between processes; neither need exist, damage is
    harmless, and a folder that others may reach is not used. FileNotFoundError when there are no files.
    """
    names = list(map(str, roots))
    slot = sha256("\0".join(["2", str(base), *names]).encode(errors="surrogateescape")).hexdigest()[:32]
    known = _REMEMBERED.get(slot) or _recall(memo, slot)
    if known is not None and states_of([*known.folders, *known.files]) == known.states:
        _REMEMBERED[slot] = known
        return known.digest
    return _worked_out(names, base, memo, slot, known)


_UNKNOWN = "unknown"
"""The states of a tree that has to be walked each time; no digest is that."""
_REMEMBERED: dict[str, _Memo] = {}
"""What this process knows, by the slot of the memo."""


def _worked_out(roots: list[str], base: Path, memo: Path | None, slot: str, known: _Memo | None) -> Digest:
    """The digest by a walk; what is `known` holds when only folders have changed, as by byte code that was written."""
    began = time_ns()
    walk = _Walk()
    for root in roots:
        walk.add(root)
    if not walk.files:
        raise FileNotFoundError(f"no files to digest under {str(base)!r}")
    folders, files = [path for path, _ in walk.folders], [path for path, _ in walk.files]
    file_states = _seal(status for _, status in walk.files)
    if known is not None and (known.files, known.file_states) == (files, file_states):
        digest = known.digest
    else:
        digest = Digest(_digest_contents(files, str(base)), _newest(walk.files))
    seen = [*walk.folders, *walk.files]
    states = _seal(status for _, status in seen)
    if _newest(seen) < began - SETTLED_NS and states_of([*folders, *files]) == states:
        found = _Memo(digest, folders, files, states if walk.is_complete else _UNKNOWN, file_states)
        _REMEMBERED[slot] = found
        _remember(memo, slot, found)
    return digest


_values = attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_Seen: TypeAlias = tuple[str, os.stat_result]


class _Walk:
    """The folders and files of trees, each with its stat values from before it was looked into."""

    def __init__(self) -> None:
        self.folders: list[_Seen] = []
        self.files: list[_Seen] = []
        self.is_complete = True

    def add(self, root: str) -> None:
        """Add a file, or all that is in a folder, in the order of paths."""
        status = os.stat(root)
        if not S_ISDIR(status.st_mode):
            self.files.append((root, status))
            return
        before, self.files = self.files, []
        self._add_folder(root, status)
        self.files = before + sorted(self.files, key=lambda seen: seen[0])

    def _add_folder(self, folder: str, status: os.stat_result) -> None:
        self.folders.append((folder, status))
        with os.scandir(folder) as listed:
            entries = list(listed)
            sources = {entry.name for entry in entries if entry.name.endswith(".py")}
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name == "__pycache__" or (name.endswith(".pyc") and name[:-1] in sources):
                    continue
                if entry.is_dir():
                    self._add_folder(entry.path, entry.stat())
                elif entry.is_file():  # a FIFO, a device or a link to nothing holds no code
                    self.files.append((entry.path, entry.stat()))
                else:  # what a link to nothing leads to may appear, and no stat value here would tell
                    self.is_complete = False


def states_of(paths: Iterable[str]) -> str:
    """A digest of the stat values of files and folders, equal while none of them changes; empty when one is gone."""
    try:
        return _seal(map(os.stat, paths))
    except OSError:
        return ""


def settled_states(paths: Sequence[str], since_ns: int) -> str:
    """`states_of` for what is read at or after `since_ns`; empty, too, when one of them changed just before that.

    A file may be written twice within one tick of the clock, and have the same stat values.
    """
    try:
        seen = [(path, os.stat(path)) for path in paths]
    except OSError:
        return ""
    return _seal(status for _, status in seen) if not seen or _newest(seen) < since_ns - SETTLED_NS else ""


def _seal(statuses: Iterable[os.stat_result]) -> str:
    values = list(map(_values, statuses))
    return sha256(marshal.dumps(values, 2)).hexdigest()  # 2: as it was before equal objects were told apart


def _newest(seen: list[_Seen]) -> int:
    return max(max(status.st_mtime_ns, status.st_ctime_ns) for _, status in seen)


def _digest_contents(paths: list[str], base: str) -> str:
    total = sha256()
    prefix = base.rstrip(os.sep) + os.sep
    for path in paths:
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


def _recall(memo: Path | None, slot: str) -> _Memo | None:
    body = recall(memo, slot) if memo is not None else None
    if body is None:
        return None
    try:
        head, _, paths = os.fsdecode(body).partition("\n")
        digest, newest, states, file_states, count = head.split()
        names = paths.split("\0")
        return _Memo(Digest(digest, int(newest)), names[: int(count)], names[int(count) :], states, file_states)
    except ValueError:
        return None


def _remember(memo: Path | None, slot: str, known: _Memo) -> None:
    if memo is not None:
        head = (known.digest.sha256, known.digest.newest_ns, known.states, known.file_states, len(known.folders))
        body = " ".join(map(str, head)) + "\n" + "\0".join([*known.folders, *known.files])
        remember(memo, slot, os.fsencode(body))
