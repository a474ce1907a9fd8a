"""A shared cache behind the local one: read when an entry is missing here, written when one was made here.

It lies at any URL that fsspec knows, an object store or a shared folder. What comes from there is verified as a local
file is, and with a key it must also bear its signature. A store that is slow, gone or wrong costs one note and a miss.
"""

from __future__ import annotations

import hashlib
import hmac
import threading
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from flydsl.base.errors import SettingError
from flydsl.base.files.bounded_file import read_bounded
from flydsl.base.settings import STORE_FOLDER
from flydsl.cache.entry import MAGIC as ENTRY_MAGIC

T = TypeVar("T")

_MAGIC = b"FlySign1"
_SIGNED = len(_MAGIC) + hashlib.sha256().digest_size
_SHORTEST_KEY = 16
_PART = 1 << 20
_LARGEST = 1 << 30
"""Bytes of an object that are read: more than any entry has."""
_LARGEST_KEY = 1 << 16
_KEY_SETTING = "FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE"


class UnsignedError(Exception):
    """What a shared store gave does not bear the signature of our key."""


class Remote:
    """A shared cache at `url`; `key` signs what is written and is asked of what is read."""

    def __init__(self, url: str, *, key: bytes | None = None, read_only: bool = False, timeout: float = 5.0) -> None:
        self.url, self.read_only, self.timeout = url, read_only, timeout
        self._key = key
        self.key_name = "" if key is None else _name_of(key)
        self._off = False
        self._place: tuple[Any, str] | None = None

    def read(self, name: str) -> bytes | None:
        """The content of `ab/<digest>.entry`, None when it is not there; raises `UnsignedError`."""
        data = self._ask(lambda over: self._cat(name, over))
        return None if data is None else self._opened(name, data)

    def write(self, name: str, data: bytes) -> None:
        """Keep a file, replacing what is there."""
        if not self.read_only:
            self._ask(lambda _: self._pipe(name, self._sealed(name, data)))

    def _sealed(self, name: str, data: bytes) -> bytes:
        return data if self._key is None else b"".join([_MAGIC, self._signature(name, data), data])

    def _opened(self, name: str, data: bytes) -> bytes:
        """What was signed; a store without a key takes what is signed by others, whose bytes are verified anyway."""
        body = data[_SIGNED:] if data.startswith(_MAGIC) else None
        if self._key is None:
            return data if body is None else body
        if body is None:
            raise UnsignedError("it bears no signature")
        if not hmac.compare_digest(data[len(_MAGIC) : _SIGNED], self._signature(name, body)):
            raise UnsignedError("its signature is of another key")
        return body

    def _signature(self, name: str, data: bytes) -> bytes:
        """The name is signed too: an entry cannot be given out as another."""
        assert self._key is not None
        return hmac.digest(self._key, name.encode() + b"\0" + data, "sha256")

    def _ask(self, action: Callable[[threading.Event], T]) -> T | None:
        """The answer of the store; None, and silence from then on, when there is none in time or an error.

        The action gets an event, set when nobody waits for its answer any more.
        """
        if self._off:
            return None
        answers: list[T | Exception] = []
        over = threading.Event()

        def run() -> None:
            try:
                answers.append(action(over))
            except Exception as error:  # whatever the store's library raises
                answers.append(error)

        thread = threading.Thread(target=run, daemon=True, name="flydsl-remote-cache")
        thread.start()
        try:
            thread.join(self.timeout)
        finally:
            over.set()
        answer = answers[0] if answers else TimeoutError(f"no answer within {self.timeout:g} s")
        if not isinstance(answer, Exception):
            return answer
        self._off = True
        _warn("the shared cache %s is off in this process: %s: %s", self.url, type(answer).__name__, answer)
        return None

    def _cat(self, name: str, over: threading.Event) -> bytes | None:
        """The content of an object; of one that cannot be an entry, by its first bytes or its size, a beginning."""
        files, root = self._files()
        parts: list[bytes] = []
        count = 0
        try:
            with files.open(f"{root}/{STORE_FOLDER}/{name}", "rb") as file:
                while not over.is_set() and count <= _LARGEST and (part := file.read(_PART)):
                    parts.append(part)
                    count += len(part)
                    if not parts[0].startswith((_MAGIC, ENTRY_MAGIC)):
                        break
        except FileNotFoundError:
            return None
        return b"".join(parts)

    def _pipe(self, name: str, data: bytes) -> None:
        files, root = self._files()
        folder, _, _ = name.rpartition("/")
        files.makedirs(f"{root}/{STORE_FOLDER}/{folder}", exist_ok=True)
        files.pipe_file(f"{root}/{STORE_FOLDER}/{name}", data)

    def _files(self) -> tuple[Any, str]:
        if self._place is None:
            try:
                core = import_module("fsspec.core")
            except ImportError:
                raise ModuleNotFoundError("it needs fsspec: pip install fsspec") from None
            files, root = core.url_to_fs(self.url)
            self._place = files, root.rstrip("/")
        return self._place


@lru_cache(maxsize=16)
def remote_cache(url: str, key_file: Path | None, read_only: bool, timeout: int) -> Remote | None:
    """The shared cache that the settings name, None without a URL; raises `SettingError` for an unusable key."""
    if not url:
        return None
    return Remote(url, key=None if key_file is None else _key(key_file), read_only=read_only, timeout=timeout)


@lru_cache(maxsize=16)
def key_name_of(file: Path) -> str:
    """The name of the key in a file, by which entries are known that it signed; SettingError for an unusable key."""
    return _name_of(_key(file))


def _name_of(key: bytes) -> str:
    return hmac.digest(key, b"the name of this key", "sha256").hex()[:32]


def _key(file: Path) -> bytes:
    try:
        key = read_bounded(file, _LARGEST_KEY).strip()
    except OSError as error:
        raise SettingError(
            f"FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE: cannot read {str(file)!r}: {error.strerror}"
        ) from None
    if len(key) < _SHORTEST_KEY:
        raise SettingError(
            f"FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE: {str(file)!r} holds {len(key)} bytes; "
            f"a key has at least {_SHORTEST_KEY}, such as `openssl rand -hex 32` prints"
        )
    return key


def _warn(message: str, *arguments: object) -> None:
    from flydsl.base.process.log import get_logger

    get_logger("flydsl.cache").warning(message, *arguments)
