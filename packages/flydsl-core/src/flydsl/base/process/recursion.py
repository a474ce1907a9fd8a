"""A higher limit of recursion for work on trees: syntax trees of long expressions, regions in regions."""

from __future__ import annotations

import sys
from contextlib import suppress
from types import TracebackType
from typing import ClassVar

from flydsl.base.process.fork_locks import new_lock

_MORE_FRAMES = 9_000
"""A sum of 900 terms, or 300 `elif`, needs 3,000 and 4,000; each takes less than 0.5 KiB of the thread's stack."""


class DeepRecursion:
    """Python's limit of recursion is higher inside of a `with`; blocks nest, and may overlap in several threads."""

    _lock: ClassVar = new_lock()
    _depth: ClassVar = 0
    _before: ClassVar = 0

    def __enter__(self) -> None:
        cls = DeepRecursion
        with cls._lock:
            cls._depth += 1
            if cls._depth == 1:
                cls._before = sys.getrecursionlimit()
                sys.setrecursionlimit(cls._before + _MORE_FRAMES)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        cls = DeepRecursion
        with cls._lock:
            cls._depth -= 1
            if cls._depth == 0 and sys.getrecursionlimit() == cls._before + _MORE_FRAMES:
                with suppress(RecursionError):  # of a thread that is deeper than that by now
                    sys.setrecursionlimit(cls._before)


def own_recursion_limit() -> int:
    """What `sys.getrecursionlimit` gives the program, which may ask for it inside of such a `with`."""
    cls, limit = DeepRecursion, sys.getrecursionlimit()
    with cls._lock:
        return cls._before if cls._depth and limit == cls._before + _MORE_FRAMES else limit
