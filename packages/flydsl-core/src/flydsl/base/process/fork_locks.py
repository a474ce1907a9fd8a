"""Locks that a child of `os.fork` finds free, and blocks that forks of other threads wait for.

The child has one thread. A lock that another thread of the parent held at the fork would never be released there: such
locks are made anew. What they guard must be whole at any moment, or be made again: entries of a map, objects that are
replaced whole. Locks that are not ours, as those of imports, of the dynamic linker and of LLVM, cannot be: a fork waits
until the threads that take them have come to an end of their work.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar
from weakref import WeakSet

P = ParamSpec("P")
T = TypeVar("T")

PATIENCE = 10.0
"""Seconds that a fork waits for blocks of other threads: what takes longer may never end."""
_locks: WeakSet[Any] = WeakSet()


def new_lock() -> threading.Lock:
    """A lock as `threading.Lock` makes it."""
    lock = threading.Lock()
    _locks.add(lock)
    return lock


def new_rlock() -> threading.RLock:
    """A lock as `threading.RLock` makes it, which its thread may take again."""
    lock = threading.RLock()
    _locks.add(lock)
    return lock


class _Gate:
    """Which threads are within blocks, and how many forks wait for them."""

    def __init__(self) -> None:
        self._make_anew()

    def _make_anew(self) -> None:
        self._changed = threading.Condition()
        self._within: dict[int, int] = {}
        self._forks = 0

    def enter(self) -> None:
        mine = threading.get_ident()
        with self._changed:
            while self._forks and not self._within:  # a thread that helps another block is waited for with that
                self._changed.wait()
            self._within[mine] = self._within.get(mine, 0) + 1

    def leave(self) -> None:
        mine = threading.get_ident()
        with self._changed:
            depth = self._within.pop(mine, 0)  # none, in a child that was forked within the block
            if depth > 1:
                self._within[mine] = depth - 1
            self._changed.notify_all()

    def before_fork(self) -> None:
        with self._changed:
            self._forks += 1
            mine = threading.get_ident()
            self._changed.wait_for(lambda: not self._within.keys() - {mine}, PATIENCE)

    def after_fork(self) -> None:
        with self._changed:
            self._forks -= 1
            self._changed.notify_all()

    def after_in_child(self) -> None:
        self._make_anew()
        for lock in list(_locks):
            lock._at_fork_reinit()  # as the standard library does with its own, and concurrent.futures


_gate = _Gate()


class _ForksWait:
    """A block, or the calls of a function; of our own, since tracebacks would show a frame of `contextlib`."""

    def __enter__(self) -> None:
        _gate.enter()

    def __exit__(self, *_: object) -> None:
        _gate.leave()

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def waited_for(*args: P.args, **kwargs: P.kwargs) -> T:
            with self:
                return function(*args, **kwargs)

        return waited_for


_forks_wait = _ForksWait()


def forks_wait() -> _ForksWait:
    """Let forks of other threads wait for the end of the block, `PATIENCE` seconds at most."""
    return _forks_wait


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_gate.before_fork, after_in_parent=_gate.after_fork, after_in_child=_gate.after_in_child)
