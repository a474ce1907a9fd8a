"""Tracing errors with the user's line and the calls that led to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from flydsl.base.errors import FlyDSLError, FrontendError
from flydsl.base.location import traceback_locations, user_functions
from flydsl.frontend.helpers import is_plain_helper, reason_not_rewritten

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
            if error.location is None and isinstance(error, FrontendError):
                _explain_plain_python(error)
            error.location, error.callers = lines[0], lines[1:]
        raise
    except RecursionError as error:
        raise _endless(error) from None


def _explain_plain_python(error: FrontendError) -> None:
    """Say why a helper was not rewritten, when the error happened in one that was not."""
    found, entry = "", error.__traceback__
    while entry is not None:
        code, entry = entry.tb_frame.f_code, entry.tb_next
        reason = reason_not_rewritten(code)
        if error.is_condition and not reason and is_plain_helper(code):
            reason = "a function of Python called it; call it by its name, or loop over the items"
        found = f"{code.co_name} runs as plain Python: {reason}" if reason else found
    if found:
        error.amend(after=f"; {found}")


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
        found.location = Counter(lines).most_common(1)[0][0]
        found.callers = [line for line in lines if line != found.location][:1]
    return found
