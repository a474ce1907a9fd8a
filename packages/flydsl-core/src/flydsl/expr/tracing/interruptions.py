"""Calls that interrupt a trace in its own thread: of handlers of signals and logs, finalizers, and trace functions.

Python runs these between two instructions of whatever it executes, in the context of that. They are not part of what is
traced, so a call among them is an ordinary one.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType

from flydsl.base.interception import EMITTER, is_tracing

_ENTRIES = ("flydsl.frontend.trace", "trace_host")
_MODULES = frozenset({"logging", "weakref"})
"""Modules whose functions call what a program has registered with them."""
_FIRST_ARGUMENTS = 3


def is_part_of_trace() -> bool:
    """Whether the running code was called by what is being traced, and has not interrupted it."""
    return is_tracing() and not any(map(_is_interruption, _frames()))


@contextmanager
def outside_of_trace() -> Iterator[None]:
    """No trace runs within the block, for code that has interrupted one."""
    token = EMITTER.set(None)
    try:
        yield
    finally:
        EMITTER.reset(token)


def _frames() -> Iterator[FrameType]:
    """The frames from the running code up to where the innermost trace began."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_globals.get("__name__"), frame.f_code.co_name) != _ENTRIES:
        yield frame
        frame = frame.f_back


def _is_interruption(frame: FrameType) -> bool:
    """Whether Python, and no code, called the function of a frame; a registered one, such as a handler of logs, too."""
    code = frame.f_code
    if code.co_name == "__del__" or frame.f_globals.get("__name__") in _MODULES:
        return True
    if not code.co_argcount or code.co_name.startswith("<"):
        return False
    arguments = _first_arguments(frame, code)
    first = arguments[0] if arguments else None
    is_collection = type(first) is str and first in ("start", "stop") and type(arguments[-1]) is dict  # of gc.callbacks
    return is_collection or any(
        argument is frame.f_back or (type(argument) is weakref.ref and argument() is None) for argument in arguments
    )


def _first_arguments(frame: FrameType, code: CodeType) -> list[object]:
    """Those that a handler of signals, a trace function or a callback of a weak reference is told by."""
    names = code.co_varnames[: min(code.co_argcount, _FIRST_ARGUMENTS)]
    return [frame.f_locals[name] for name in names if name in frame.f_locals]
