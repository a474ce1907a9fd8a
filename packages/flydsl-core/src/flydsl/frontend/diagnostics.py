"""An error raised while tracing in, the same error with the user's line out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flydsl.base.errors import FlyDSLError
from flydsl.base.location import traceback_locations

__all__ = ["located"]


@contextmanager
def located() -> Iterator[None]:
    """Give an error of ours that has no place yet the innermost line of the user's code that led to it."""
    try:
        yield
    except FlyDSLError as error:
        if error.location is None:
            lines = traceback_locations(error.__traceback__)[::-1]
            error.location, error.callers = (lines[0], lines[1:]) if lines else (None, ())
        raise
