"""Native stages that Ctrl-C ends: they run in a thread of their own, which the main thread waits for.

Python runs handlers of signals between its own instructions, in the main thread alone, and a stage of the compiler is
one call. Waiting for a lock, though, ends when a handler raises. The stage is abandoned then: it goes on, holds no lock
of ours, and what it makes is dropped. A hand-over costs some 20 us.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import cache
from queue import SimpleQueue
from typing import Generic, TypeVar, cast

from flydsl.base.process.hidden_threads import start_hidden

T = TypeVar("T")


class _Stage(Generic[T]):
    """One call, and what became of it."""

    __slots__ = ("_call", "_context", "_error", "_value", "ended")

    def __init__(self, call: Callable[[], T], context: Context) -> None:
        self._call, self._context = call, context
        self._value: T | None = None
        self._error: BaseException | None = None
        self.ended = threading.Lock()
        self.ended.acquire()

    def run(self) -> None:
        try:
            self._value = self._context.run(self._call)
        except BaseException as error:  # for the thread that waits
            self._error = error
        finally:
            self.ended.release()

    def outcome(self) -> T:
        """The value of the call; raises what it raised."""
        error, self._error = self._error, None
        if error is None:
            return cast("T", self._value)
        try:
            raise error
        finally:
            del error  # its traceback has this frame


class _Worker:
    """A thread that runs stages until it is abandoned."""

    def __init__(self) -> None:
        self._stages: SimpleQueue[_Stage[object] | None] = SimpleQueue()
        self.start = self._stages.put
        start_hidden(self._run)

    def abandon(self) -> None:
        """End after the stage that runs now."""
        self._stages.put(None)

    def _run(self) -> None:
        while (stage := self._stages.get()) is not None:
            stage.run()
            del stage  # what it made may be large


class _Current:
    """The worker of the main thread, if it has one."""

    def __init__(self) -> None:
        self.worker: _Worker | None = None
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self.worker = None


_current = _Current()


def interruptible(call: Callable[[], T]) -> T:
    """What `call` gives, which runs in another thread while this one handles signals: only the main thread does."""
    if threading.get_ident() != threading.main_thread().ident:
        return call()
    worker = _current.worker = _current.worker or _Worker()
    stage = _Stage(call, copy_context())
    try:
        worker.start(stage)  # type: ignore[arg-type]
        stage.ended.acquire()
    except BaseException:
        _current.forget()
        worker.abandon()
        _end_without_destructors()
        raise
    return stage.outcome()


@cache
def _end_without_destructors() -> None:
    """Let this process end while an abandoned stage runs: not through LLVM's destructors, whose globals that uses.

    Python has finished by then. `_exit` as a handler of `on_exit` gets the status as its first argument.
    """
    library = ctypes.CDLL(None)
    on_exit = getattr(library, "on_exit", None)  # of glibc
    if on_exit is not None:
        on_exit(ctypes.cast(library._exit, ctypes.c_void_p), None)
