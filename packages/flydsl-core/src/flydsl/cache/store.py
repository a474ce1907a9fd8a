"""The store: a folder of verified cache entries.

Correctness rests on three things only: a file appears whole (written under another name, then renamed), it states its
full key, and every byte is verified on load. Anything else wrong with folder or file is a note and a miss, no error.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flydsl.base.files.private_folder import PrivateFolder, UntrustedFileError, read_to_end
from flydsl.base.settings import STORE_FOLDER
from flydsl.cache import shelves
from flydsl.cache.entry import BadEntryError, Entry, check_size, decode, decode_header, encode
from flydsl.cache.key import digest
from flydsl.cache.lock import file_lock
from flydsl.cache.shelves import ENTRY, INDEX, LOCK, ShardFile
from flydsl.cache.taken import distrust, marked, unmarked

if TYPE_CHECKING:
    from flydsl.base.settings import RuntimeSettings
    from flydsl.cache.remote import Remote

DEFAULT_LIMIT = 2 << 30
LARGEST = 1 << 30
"""Bytes of an entry: beyond it neither saved nor loaded."""
_TOUCH_SECONDS = 3600.0
_HEAD = 1 << 16
_TRIES = 16
_noted: set[str] = set()


class Stored(NamedTuple):
    """A file of the store, seen from outside: its content, its size in bytes and when it was last used (seconds)."""

    digest: str
    kind: str
    entry: Entry
    size: int
    used: float


class Store:
    """A cache folder. A folder that cannot be trusted or used makes a store without memory; `reason` says why.

    `key_name` is that of the key that entries of shared caches must have been signed with, by default of `remote`.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None,
        *,
        limit: int = DEFAULT_LIMIT,
        reason: str = "",
        remote: Remote | None = None,
        key_name: str = "",
    ) -> None:
        self.remote = remote
        self.key_name = key_name or (remote.key_name if remote is not None else "")
        self.path: Path | None = None
        self.limit = limit
        self.reason = reason or ("no folder" if folder is None else "")
        if folder is not None and not self.reason:
            self.reason = self._open(folder)
            if self.reason:
                self._note("the cache is off", self.reason)

    def _open(self, folder: str | os.PathLike[str]) -> str:
        """Why a folder cannot be used; nothing for one that is there now."""
        try:
            self.path = Path(os.path.abspath(folder)) / STORE_FOLDER
        except OSError:
            return f"the folder is {os.fspath(folder)!r}, of a working folder that is gone"
        try:
            PrivateFolder.open(self.path, create=True).close()
        except UntrustedFileError as error:
            return str(error)
        except OSError as error:
            return f"cannot make {str(self.path)!r}: {error.strerror}"
        return ""

    @property
    def is_enabled(self) -> bool:
        return not self.reason

    def load(self, key: Mapping[str, str]) -> Entry | None:
        """The entry of exactly this key, from here or from the shared cache, or None."""
        return self._load(key, ENTRY) or self._shared(key, ENTRY)

    def save(self, entry: Entry) -> bool:
        """Keep `entry`, replacing what is there; False when the folder does not take it."""
        return self._save(entry, ENTRY)

    def link(self, index_key: Mapping[str, str], key: Mapping[str, str]) -> bool:
        """Note that `index_key` leads to `key`."""
        return self._save(Entry(index_key, {"leads_to": dict(key)}), INDEX)

    def resolve(self, index_key: Mapping[str, str]) -> dict[str, str] | None:
        """The key that `index_key` leads to, or None."""
        record = self._load(index_key, INDEX) or self._shared(index_key, INDEX)
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
            entry = self._load(key, ENTRY)
            if entry is None:
                entry = make()
                self.save(entry)
        return entry

    @contextmanager
    def lock(self, key: Mapping[str, str], timeout: float = 60.0) -> Iterator[bool]:
        """An advisory lock between processes that compute `key`; it saves work and promises nothing."""
        name = digest(key)
        shelf = None
        if self.is_enabled:
            with suppress(OSError):
                shelf = self._shelf(name, create=True)
        if shelf is None:
            yield False
            return
        with shelf, file_lock(shelf, name + LOCK, timeout) as is_locked:
            yield is_locked

    def stored(self) -> Iterator[Stored]:
        """All readable entries and index records, headers only, most recently used first."""
        for file in sorted(self.kept(), key=lambda file: -file.status.st_mtime):
            with suppress(OSError, BadEntryError):
                name, suffix = os.path.splitext(file.name)
                header = self._read_header(file)
                yield Stored(name, suffix[1:], header, file.status.st_size, file.status.st_mtime)

    def kept(self) -> list[ShardFile]:
        """The files of all entries and index records."""
        if self.path is not None and self.is_enabled:
            with suppress(OSError), PrivateFolder.open(self.path) as root:
                return shelves.kept_files(root)
        return []

    def read_file(self, file: ShardFile) -> bytes:
        """The content of a file, unverified; OSError or `UntrustedFileError` when it cannot be read."""
        with self._shelf(file.shelf) as shelf:
            return _read(shelf, file.name)

    def write_file(self, name: str, data: bytes) -> bool:
        """Keep the verified content of an entry or index record under its name; False when the folder does not."""
        if not self.is_enabled:
            return False
        try:
            self._write(name, data)
        except OSError as error:
            self._note("cannot write to the cache", error.strerror)
            return False
        return True

    def size(self) -> int:
        """Bytes of all entries and index records: what the limit is for."""
        return sum(file.status.st_size for file in self.kept())

    def clear(self) -> tuple[int, int]:
        """Remove the store, with its folder when nothing else is in it; how many entries and index records it held, and
        their bytes."""
        count = size = 0
        if self.path is not None and self.is_enabled:
            with suppress(OSError):
                with PrivateFolder.open(self.path) as root:
                    count, size = shelves.clear(root)
                self.path.rmdir()
        return count, size

    def _load(self, key: Mapping[str, str], suffix: str) -> Entry | None:
        if not self.is_enabled:
            return None
        name = digest(key)
        try:
            with self._shelf(name) as shelf:
                return self._load_from(shelf, name + suffix, key)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note("cannot read the cache", error.strerror)
            return None

    def _load_from(self, shelf: PrivateFolder, name: str, key: Mapping[str, str]) -> Entry | None:
        try:
            entry = _entry_of(key, _read(shelf, name))
            reason = distrust(entry, self.key_name)
            if reason:
                self._note("an entry of the cache is not used", reason)
            return None if reason else unmarked(entry)
        except (BadEntryError, UntrustedFileError) as error:
            if shelf.remove(name):
                _warn("a bad cache file was dropped: %s: %s", name, error)
            else:
                self._note(f"a bad cache file stays: {name}", str(error))
            return None

    def _save(self, entry: Entry, suffix: str) -> bool:
        data, name = encode(entry), digest(entry.key) + suffix
        if len(data) > LARGEST:
            self._note("cannot write to the cache", f"an entry of more than {LARGEST >> 20} MiB is not kept")
            return False
        if self.remote is not None:
            self.remote.write(f"{name[:2]}/{name}", data)
        return self.write_file(name, data)

    def _shared(self, key: Mapping[str, str], suffix: str) -> Entry | None:
        """The entry in the shared cache, verified and kept here from now on."""
        if self.remote is None:
            return None
        from flydsl.cache.remote import UnsignedError

        name = digest(key) + suffix
        try:
            data = self.remote.read(f"{name[:2]}/{name}")
            if data is None:
                return None
            entry = _entry_of(key, data)
        except (BadEntryError, UnsignedError) as error:
            _warn("a file of the shared cache is not used: %s: %s", name, error)
            return None
        self.write_file(name, encode(marked(entry, self.key_name)))
        return entry

    def _write(self, name: str, data: bytes) -> None:
        assert self.path is not None
        for attempt in range(_TRIES):
            try:
                with self._shelf(name, create=True) as shelf:
                    shelf.write(name, data)
                break
            except FileNotFoundError:  # the shelf was removed by who clears the cache
                if attempt + 1 == _TRIES:
                    raise
        from flydsl.cache.usage import note_written  # here: warm starts do without

        with suppress(OSError), PrivateFolder.open(self.path) as root:
            note_written(root, len(data), self.limit)

    def _shelf(self, name: str, *, create: bool = False) -> PrivateFolder:
        """The folder of the files of one key, opened and checked anew: whose it was before says nothing."""
        assert self.path is not None
        return PrivateFolder.open(self.path, name[:2], create=create)

    def _read_header(self, file: ShardFile) -> Entry:
        with self._shelf(file.shelf) as shelf:
            return _read_header(shelf, file.name)

    def _note(self, what: str, reason: str | None) -> None:
        """One note a process for each kind of failure of a folder: a full disk must not flood the log."""
        text = f"{what}: {reason}"
        if f"{self.path}: {text}" not in _noted:
            _noted.add(f"{self.path}: {text}")
            _warn("%s", text)


def default_store() -> Store:
    """The store that the settings name: folder, on or off, and size limit."""
    from flydsl.base import settings

    if not settings.runtime.enable_cache:
        return Store(None, reason="FLYDSL_RUNTIME_ENABLE_CACHE is 0")
    runtime = settings.runtime
    remote = _remote(runtime)
    name = _key_name(runtime.cache_remote_key_file) if remote is None and runtime.cache_remote_key_file else ""
    return Store(runtime.cache_dir, limit=runtime.cache_limit << 20, remote=remote, key_name=name)


def _key_name(file: Path) -> str:
    from flydsl.cache.remote import key_name_of

    return key_name_of(file)


def _remote(runtime: RuntimeSettings) -> Remote | None:
    if not runtime.cache_remote:
        return None
    from flydsl.cache.remote import remote_cache  # here: a run without it does without its modules

    return remote_cache(
        runtime.cache_remote,
        runtime.cache_remote_key_file,
        runtime.cache_remote_read_only,
        runtime.cache_remote_timeout,
    )


def _entry_of(key: Mapping[str, str], data: bytes) -> Entry:
    """The verified entry in `data`, which must be that of `key`; raises `BadEntryError`."""
    entry = decode(data)
    if dict(entry.key) != dict(key):
        raise BadEntryError("it states another key")
    return entry


def _read(shelf: PrivateFolder, name: str) -> bytes:
    """The content of a file; a use of it is recorded in its time of modification, at most once an hour."""
    descriptor, status = shelf.open_file(name)
    try:
        data = os.read(descriptor, _HEAD)
        if status.st_size > len(data):  # what is large says how large before it is read
            check_size(data, status.st_size)
        data = read_to_end(descriptor, data, status.st_size, LARGEST)
        if time.time() - status.st_mtime > _TOUCH_SECONDS:
            with suppress(OSError):
                os.utime(descriptor)
    finally:
        os.close(descriptor)
    return data


def _read_header(shelf: PrivateFolder, name: str) -> Entry:
    descriptor, status = shelf.open_file(name)
    try:
        head = os.read(descriptor, _HEAD)
        try:
            return decode_header(head)
        except BadEntryError:
            check_size(head, status.st_size)
            return decode_header(read_to_end(descriptor, head, status.st_size, LARGEST))
    finally:
        os.close(descriptor)


def _warn(message: str, *arguments: object) -> None:
    from flydsl.base.process.log import get_logger  # costs 5 ms that a good run does not need

    get_logger("flydsl.cache").warning(message, *arguments)
