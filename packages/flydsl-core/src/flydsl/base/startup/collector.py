"""Pauses of Python's cyclic garbage collector, for work that makes many objects to stay: imports, first compilations.

The collector starts a pass after every 700 new objects, and some passes visit all objects of the process: 65 ms where a
tensor framework is loaded. Imports and a first compilation make 100,000 objects, nearly all to stay.
"""

from __future__ import annotations

import gc
import sys
from types import TracebackType
from typing import ClassVar

from flydsl.base.process.fork_locks import new_lock

_YOUNG = 200_000
"""New objects that start a pass during a pause: what a pause can hold back is bounded."""
_MANY_MODULES = 20


class CollectorPause:
    """Passes of the collector are rare inside of a `with`; a program that has none, or fewer, keeps its setting.

    Pauses nest, and may overlap in several threads. Objects that were made while many modules were imported count as
    old when the outermost pause ends: no pass visits them again before a full one.
    """

    _lock: ClassVar = new_lock()
    _depth: ClassVar = 0
    _before: ClassVar[tuple[int, int, int]] = (0, 0, 0)
    _modules: ClassVar = 0

    def __enter__(self) -> None:
        cls = CollectorPause
        with cls._lock:
            cls._depth += 1
            if cls._depth == 1:
                cls._modules = len(sys.modules)
                cls._before = before = gc.get_threshold()
                if 0 < before[0] < _YOUNG:
                    gc.set_threshold(_YOUNG, *before[1:])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        cls = CollectorPause
        with cls._lock:
            cls._depth -= 1
            if cls._depth or gc.get_threshold() != (_YOUNG, *cls._before[1:]):
                return  # others are paused still, or the program has set its own meanwhile
            if len(sys.modules) - cls._modules >= _MANY_MODULES and gc.isenabled() and not gc.get_freeze_count():
                gc.freeze()  # together they make every object old in constant time, and visit none
                gc.unfreeze()
            gc.set_threshold(*cls._before)
