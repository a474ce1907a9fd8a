"""The stages of a compilation: a table of their times (FLYDSL_TIMING), and a line on a terminal or in the log when one
takes long.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter

from flydsl.base import settings
from flydsl.base.process.console import columns, is_terminal, tell
from flydsl.base.process.hidden_threads import start_hidden
from flydsl.base.process.log import get_logger

PATIENCE = 1.0
"""Seconds that a compilation takes before a terminal shows what it does."""
LOG_PATIENCE = 10.0
"""Seconds after which a log says so, where there is no terminal; then after twice as many each time."""
_INTERVAL = 0.25
_ERASE = "\r\x1b[K"

_state = threading.local()


@contextmanager
def compilation(name: str, target: object) -> Iterator[None]:
    """A compilation of function `name`, whose stages are timed; inside of another one it is a part of that."""
    if getattr(_state, "stages", None) is not None:
        yield
        return
    stages = Stages(f"{name} for {target}")
    kind = Progress if is_terminal() else LoggedProgress
    progress = kind(stages) if settings.debug.progress else None
    _state.stages = stages
    try:
        yield
    finally:
        _state.stages = None
        stages.end()
        if progress is not None:
            progress.end()
        if settings.debug.timing:
            tell(stages.table())


def stage(name: str) -> AbstractContextManager[None]:
    """The time inside of a `with` counts for stage `name`, and no more for the stage around; nothing without a
    compilation in this thread."""
    stages: Stages | None = getattr(_state, "stages", None)
    return nullcontext() if stages is None else stages.stage(name)


class Stages:
    """Milliseconds of each stage of one compilation, in the order in which they began, without those inside."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.times: dict[str, float] = {}
        self._open = ["other"]
        self.began = self._since = perf_counter()

    @property
    def current(self) -> str:
        """The stage that runs now."""
        return self._open[-1]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage, during which the one around does not count."""
        self._count()
        self.times.setdefault(name, 0.0)
        self._open.append(name)
        try:
            yield
        finally:
            self._count()
            self._open.pop()

    def end(self) -> None:
        """The last stage has ended."""
        self._count()
        self.times["other"] = self.times.pop("other", 0.0)  # at the end of the table

    def table(self) -> str:
        """A line a stage, and their sum."""
        rows = [*self.times.items(), ("together", sum(self.times.values()))]
        width = max(len(name) for name, _ in rows)
        lines = [f"  {name:{width}}  {time:9.1f} ms" for name, time in rows]
        return "\n".join([f"{self.title}:", *lines]) + "\n"

    def _count(self) -> None:
        now = perf_counter()
        self.times[self.current] = self.times.get(self.current, 0.0) + (now - self._since) * 1e3
        self._since = now


class Progress:
    """The stage of a compilation as the last line of the terminal, from `PATIENCE` on until it ends."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._ended = threading.Event()
        self._left, self._process = threading.Event(), os.getpid()
        start_hidden(self._run)

    def end(self) -> None:
        """Erase the line, if there is one."""
        self._ended.set()
        if os.getpid() == self._process:  # a child that was forked meanwhile has no such thread
            self._left.wait()

    def _run(self) -> None:
        try:
            self._show()
        finally:
            self._left.set()

    def _show(self) -> None:
        shown = False
        wait = PATIENCE
        while not self._ended.wait(wait):
            stages, wait = self._stages, _INTERVAL
            line = f"compiling {stages.title}: {stages.current} ({perf_counter() - stages.began:.0f} s)"
            tell(_ERASE + line[: columns() - 1])  # a line that wraps could not be erased
            shown = True
        if shown:
            tell(_ERASE)


class LoggedProgress(Progress):
    """The same as warnings in the log, few of them."""

    def _show(self) -> None:
        after = LOG_PATIENCE
        while not self._ended.wait(after - (perf_counter() - self._stages.began)):
            name, now = self._stages.title, perf_counter() - self._stages.began
            get_logger(__name__).warning("compiling %s: %s, for %.0f s now", name, self._stages.current, now)
            after *= 2
