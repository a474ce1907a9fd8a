"""What becomes of calls in this context: launched, or interpreted, or their code collected, and with which hints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from flydsl.base import settings
from flydsl.base.process.fork_locks import new_lock
from flydsl.compiler.options.hints import NO_HINTS, Hints

if TYPE_CHECKING:
    from flydsl.compiler.stages.artifact import Artifact


@dataclass(frozen=True, slots=True)
class CallMode:
    """What the blocks around a call ask for, all together."""

    interpreted: bool = False
    artifacts: list[Artifact] | None = None
    """Where the code of calls is collected, which then are not launched."""
    hints: Hints = field(default_factory=lambda: NO_HINTS)


_LAUNCHED = CallMode()
_MODE: ContextVar[CallMode] = ContextVar("flydsl_call_mode", default=_LAUNCHED)


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
"""`blocks.open` says in one read whether any call of the process may be other than launched."""


def call_mode() -> CallMode:
    """The mode of this context; other threads have theirs."""
    return _MODE.get()


@contextmanager
def changed_mode(**changes: Any) -> Iterator[None]:
    """The mode of the blocks around with these fields changed, for the block."""
    token = _MODE.set(replace(_MODE.get(), **changes))
    blocks.add(1)
    try:
        yield
    finally:
        blocks.add(-1)
        _MODE.reset(token)


def is_interpreting() -> bool:
    """Whether calls of this context are interpreted: in a `with flyc.interpret()` block, or by FLYDSL_INTERPRET=1."""
    return _MODE.get().interpreted or settings.debug.interpret
