"""The store: a folder of verified cache entries.

Correctness rests on three things only: a file appears whole (written under another name, then renamed), it states its
full key, and every byte is verified on load. Anything else wrong with folder or file is a note and a miss, no error.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import NamedTuple

from flydsl.cache.entry import BadEntryError, Entry, decode, decode_header, encode
from flydsl.cache.key import digest
from flydsl.cache.lock import file_lock
from flydsl.cache.usage import Usage

DEFAULT_LIMIT = 2 << 30
_FOLDER = "v1"
_ENTRY, _INDEX = ".entry", ".index"
_TOUCH_SECONDS = 3600.0
_HEAD = 1 << 16


class Stored(NamedTuple):
    """A file of the store, seen from outside: its content, its size in bytes and when it was last used (seconds)."""

    digest: str
    kind: str
    entry: Entry
    size: int
    used: float


class Store:
    """A cache folder. A folder that cannot be trusted or used makes a store without memory; `reason` says why."""

    def __init__(self, folder: str | os.PathLike[str] | None, *, limit: int = DEFAULT_LIMIT, reason: str = "") -> None:
        self.path = Path(os.path.abspath(folder)) / _FOLDER if folder is not None else None
        self.limit = limit
        self.reason = reason or ("no folder" if folder is None else "")
        self._noted: set[str] = set()
        self._usage: Usage | None = None
        if self.path is not None and not self.reason:
            self.reason = _unusable(self.path)
            if self.reason:
                _warn("the cache is off: %s", self.reason)
            else:
                self._usage = Usage(self.path, limit)

    @property
    def is_enabled(self) -> bool:
        return not self.reason

    def load(self, key: Mapping[str, str]) -> Entry | None:
        """The entry of exactly this key, or None."""
        return self._load(key, _ENTRY)

    def save(self, entry: Entry) -> bool:
        """Keep `entry`, replacing what is there; False when the folder does not take it."""
        return self._save(entry, _ENTRY)

    def link(self, index_key: Mapping[str, str], key: Mapping[str, str]) -> bool:
        """Note that `index_key` leads to `key`."""
        return self._save(Entry(index_key, {"leads_to": dict(key)}), _INDEX)

    def resolve(self, index_key: Mapping[str, str]) -> dict[str, str] | None:
        """The key that `index_key` leads to, or None."""
        record = self._load(index_key, _INDEX)
        target = record.header.get("leads_to") if record else None
        if not isinstance(target, dict) or not all(type(value) is str for value in target.values()):
            return None
        return {name: str(value) for name, value in target.items()}

    def fetch(self, key: Mapping[str, str], make: Callable[[], Entry]) -> Entry:
        """The entry of `key`, computed and saved when it is missing; other processes of this host wait if they can."""
        entry = self.load(key)
        if entry is not None:
            return entry
        with self.lock(key):
            entry = self.load(key)
            if entry is None:
                entry = make()
                self.save(entry)
        return entry

    def lock(self, key: Mapping[str, str], timeout: float = 60.0) -> AbstractContextManager[bool]:
        """An advisory lock between processes that compute `key`; it saves work and promises nothing."""
        if self.path is None or not self.is_enabled:
            return nullcontext(False)
        return file_lock(self._path_of(key, ".lock"), timeout)

    def stored(self) -> Iterator[Stored]:
        """All readable entries and index records, headers only, most recently used first."""
        for path, status in sorted(self._files(), key=lambda item: -item[1].st_mtime):
            with suppress(OSError, BadEntryError):
                yield Stored(path.stem, path.suffix[1:], _read_header(path), status.st_size, status.st_mtime)

    def size(self) -> int:
        """Bytes of all files of the store."""
        return sum(status.st_size for _, status in self._files())

    def clear(self) -> tuple[int, int]:
        """Remove every file; the number of files and of bytes removed."""
        count = size = 0
        for path, status in list(self._files()):
            with suppress(OSError):
                path.unlink()
                count, size = count + 1, size + status.st_size
        return count, size

    def _load(self, key: Mapping[str, str], suffix: str) -> Entry | None:
        if not self.is_enabled:
            return None
        path = self._path_of(key, suffix)
        try:
            data = _read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("cannot read the cache", error)
            return None
        try:
            entry = decode(data)
            if dict(entry.key) != dict(key):
                raise BadEntryError("it states another key")
        except BadEntryError as error:
            _warn("a bad cache file was dropped: %s: %s", path.name, error)
            with suppress(OSError):
                path.unlink()
            return None
        return entry

    def _save(self, entry: Entry, suffix: str) -> bool:
        data = encode(entry)
        if not self.is_enabled:
            return False
        try:
            _write(self._path_of(entry.key, suffix), data)
        except OSError as error:
            self._note("cannot write to the cache", error)
            return False
        assert self._usage is not None
        self._usage.add(len(data))
        return True

    def _path_of(self, key: Mapping[str, str], suffix: str) -> Path:
        assert self.path is not None
        name = digest(key)
        return self.path / name[:2] / (name + suffix)

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        if self.path is None or not self.is_enabled:
            return
        for suffix in (_ENTRY, _INDEX):
            for path in self.path.glob(f"??/*{suffix}"):
                with suppress(OSError):
                    yield path, path.stat()

    def _note(self, what: str, error: OSError) -> None:
        """One note a store for each kind of failure: a full disk must not flood the log."""
        text = f"{what}: {error.strerror}"
        if text not in self._noted:
            self._noted.add(text)
            _warn("%s", text)


def default_store() -> Store:
    """The store that the settings name: folder, on or off, and size limit."""
    from flydsl.base import settings

    if not settings.runtime.enable_cache:
        return Store(None, reason="FLYDSL_RUNTIME_ENABLE_CACHE is 0")
    return Store(settings.runtime.cache_dir, limit=settings.runtime.cache_limit << 20)


def _unusable(path: Path) -> str:
    """Create the folder for this user alone; why it cannot be trusted, or an empty string."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(mode=0o700, exist_ok=True)
        status = path.stat()
    except OSError as error:
        return f"cannot make {str(path)!r}: {error.strerror}"
    if not stat.S_ISDIR(status.st_mode):
        return f"{str(path)!r} is not a folder"
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid != os.geteuid():
        return f"{str(path)!r} belongs to user {status.st_uid}, not to {os.geteuid()}: set FLYDSL_RUNTIME_CACHE_DIR"
    if status.st_mode & 0o077:
        return f"{str(path)!r} has mode {stat.S_IMODE(status.st_mode):o}, others may reach it: chmod 700 it"
    return ""


def _read(path: Path) -> bytes:
    """The content of a file; a use of it is recorded in its time of modification, at most once an hour."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(descriptor)
        data = b""
        while block := os.read(descriptor, max(1, status.st_size - len(data) + 1)):
            data = data + block if data else block
    finally:
        os.close(descriptor)
    if time.time() - status.st_mtime > _TOUCH_SECONDS:
        with suppress(OSError):
            os.utime(path)
    return data


def _read_header(path: Path) -> Entry:
    with open(path, "rb") as stream:
        head = stream.read(_HEAD)
        try:
            return decode_header(head)
        except BadEntryError:
            return decode_header(head + stream.read())


def _write(path: Path, data: bytes) -> None:
    """Write under another name and rename; without fsync, as a file torn by a power cut fails its digests."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(temporary, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(temporary, flags, 0o600)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _warn(message: str, *arguments: object) -> None:
    from flydsl.base.log import get_logger  # costs 5 ms that a good run does not need

    get_logger("flydsl.cache").warning(message, *arguments)
