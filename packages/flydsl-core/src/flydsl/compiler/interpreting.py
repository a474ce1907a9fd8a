"""Whether calls are interpreted: those of a `with flyc.interpret()` block, and all under FLYDSL_INTERPRET=1."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from flydsl.base import settings
from flydsl.base.fork_locks import new_lock

_INTERPRETING: ContextVar[bool] = ContextVar("flydsl_interpreting", default=False)


class _Blocks:
    """How many blocks are open in the process: a call asks for its context only then, which costs more."""

    __slots__ = ("_lock", "open")

    def __init__(self) -> None:
        self.open = 0
        self._lock = new_lock()

    def add(self, count: int) -> None:
        with self._lock:
            self.open += count


blocks = _Blocks()
"""`blocks.open` says in one read whether any call of the process may be interpreted."""


def is_interpreting() -> bool:
    """Whether calls of this context are interpreted."""
    return _INTERPRETING.get() or settings.debug.interpret


@contextmanager
def interpreting_block() -> Iterator[None]:
    """Interpret the calls of the block; those of other threads are compiled and launched as usual."""
    token = _INTERPRETING.set(True)
    blocks.add(1)
    try:
        yield
    finally:
        blocks.add(-1)
        _INTERPRETING.reset(token)
