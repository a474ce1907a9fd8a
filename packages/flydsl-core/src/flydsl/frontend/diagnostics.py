"""An error raised while tracing in, the same error with the user's line and the calls that led to it out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flydsl.base.errors import FlyDSLError, FrontendError
from flydsl.base.location import traceback_locations, user_functions

__all__ = ["located"]

_SHOWN_CALLS = 4


@contextmanager
def located() -> Iterator[None]:
    """Give an error of ours that has no place yet the innermost line of the user's code that led to it.

    An error with a place gets the calls that this traceback adds, as from the kernel up to its launch.
    """
    try:
        yield
    except FlyDSLError as error:
        lines = traceback_locations(error.__traceback__)[::-1]
        if lines and error.location in (None, lines[0]):
            error.location, error.callers = lines[0], lines[1:]
        raise
    except RecursionError as error:
        raise _endless(error) from None


def _endless(error: RecursionError) -> FrontendError:
    """Tracing called functions until Python's stack was full: which ones, and from where."""
    lines = traceback_locations(error.__traceback__)
    names = user_functions(error.__traceback__)
    cycle = list(dict.fromkeys(names[-_SHOWN_CALLS * 4 :]))
    chain = " -> ".join([*cycle[:_SHOWN_CALLS], cycle[0]]) if cycle else "?"
    found = FrontendError(
        f"these calls never end while tracing: {chain}; both sides of a dynamic condition are traced, "
        "so recursion has to end on a condition known while tracing: use a loop, or a Python number for the depth"
    )
    if lines:
        found.location, found.callers = lines[-1], lines[:-1][::-1][:_SHOWN_CALLS]
    return found
