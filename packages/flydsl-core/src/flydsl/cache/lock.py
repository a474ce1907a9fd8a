"""At most one computation per key: in this process (`Once`) and, if possible, on this host.

Neither carries correctness. A lock that cannot be taken (NFS, a read-only folder, a holder that hangs) is not waited
for longer than its timeout: the work is then done twice, and both results are right.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import Generic, TypeVar

from flydsl.base.files.private_folder import PrivateFolder
from flydsl.base.process.fork_locks import new_lock

try:
    import fcntl
except ImportError:  # Windows: no advisory locks, work may be done twice
    fcntl = None  # type: ignore[assignment]

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_POLL_SECONDS = 0.01


class Once(Generic[K, V]):
    """A map of futures: threads that ask for one key get one computation; results stay, failures do not.

    The map's lock is held for dictionary operations only, never while computing.
    """

    def __init__(self) -> None:
        self._lock = new_lock()
        self._calls: dict[K, _Call[V]] = {}

    def get(self, key: K, compute: Callable[[], V]) -> V:
        """The value of `key`, computed by the first caller; an `Exception` of that computation reaches all who wait."""
        while True:
            with self._lock:
                call = self._calls.get(key)
                mine = call is None or call.is_lost()
                if mine:
                    call = self._calls[key] = _Call()
            assert call is not None
            if mine:
                return self._run(key, call, compute)
            if call.wait(key):
                return call.result()

    def __len__(self) -> int:
        return len(self._calls)

    def _run(self, key: K, call: _Call[V], compute: Callable[[], V]) -> V:
        try:
            call.value = compute()
        except BaseException as error:
            with self._lock:
                if self._calls.get(key) is call:
                    del self._calls[key]
            # Ctrl-C in one thread is no answer for the others: they compute themselves
            call.error = error if isinstance(error, Exception) else None
            call.abandoned = not isinstance(error, Exception)
            raise
        finally:
            call.finished.set()
        return call.value


class _Call(Generic[V]):
    """One computation: who runs it, whether it ended, and with what."""

    __slots__ = ("abandoned", "error", "finished", "owner", "pid", "value")

    value: V

    def __init__(self) -> None:
        self.finished = threading.Event()
        self.owner, self.pid = threading.get_ident(), os.getpid()
        self.error: Exception | None = None
        self.abandoned = False

    def is_lost(self) -> bool:
        """Whether the computing thread stayed behind in the parent of a fork."""
        return not self.finished.is_set() and self.pid != os.getpid()

    def wait(self, key: object) -> bool:
        """Wait for the end; False when the caller must compute by itself."""
        if not self.finished.is_set() and self.owner == threading.get_ident():
            raise RuntimeError(f"the computation of {key!r} asks for itself")
        self.finished.wait()
        return not self.abandoned

    def result(self) -> V:
        if self.error is not None:
            raise self.error
        return self.value


@contextmanager
def file_lock(folder: PrivateFolder, name: str, timeout: float = 60.0) -> Iterator[bool]:
    """Hold an advisory lock on the file `name`; yields False when that is not possible.

    The file is created, and removed again by its owner; the kernel frees the lock of a process that dies. Removing lets
    a late comer lock a new file while another waits for the old one: both then work, which is allowed.
    """
    descriptor = _open(folder, name)
    is_locked = descriptor is not None and _acquire(descriptor, timeout)
    try:
        yield is_locked
    finally:
        if is_locked:
            folder.remove(name)
        if descriptor is not None:
            os.close(descriptor)


def _open(folder: PrivateFolder, name: str) -> int | None:
    if fcntl is not None:
        with suppress(OSError):
            return folder.open_file(name, os.O_RDWR | os.O_CREAT)[0]
    return None


def _acquire(descriptor: int, timeout: float) -> bool:
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)
        except OSError:  # a file system without locks
            return False
        else:
            return True
