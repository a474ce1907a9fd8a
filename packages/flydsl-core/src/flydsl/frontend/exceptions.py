"""Exceptions that `try` in traced code cannot catch: those from branches and loops of the device."""

from __future__ import annotations

import sys
from contextlib import suppress

from flydsl.base.errors import FlyDSLError, FrontendError

_MARK = "__flydsl_left_region__"


def mark_left(error: BaseException) -> None:
    """Note that an exception has left a branch or a loop body of the device."""
    with suppress(AttributeError, TypeError):  # of a class that takes no attributes
        setattr(error, _MARK, True)


def check_caught() -> None:
    """Raise the exception that a handler has caught again, if it comes from a branch or a loop body of the device."""
    error = sys.exc_info()[1]
    if error is None or not getattr(error, _MARK, False):
        return
    if isinstance(error, FlyDSLError):
        raise error
    message = (
        f"try cannot catch what a dynamic branch or loop raises ({type(error).__name__}: {error}): its body is traced "
        "whether it is taken or not; put the try inside of the branch"
    )
    refused = FrontendError(message)
    mark_left(refused)
    raise refused.with_traceback(error.__traceback__) from error
