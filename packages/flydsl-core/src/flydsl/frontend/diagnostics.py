"""Tracing errors with the user's line and the calls that led to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from flydsl.base.errors import DynamicValueError, FlyDSLError, FrontendError
from flydsl.base.location import traceback_locations, user_functions
from flydsl.frontend.foreign_errors import explained
from flydsl.frontend.rewriting.helpers import is_plain_helper, reason_not_rewritten
from flydsl.frontend.rewriting.recompile import nested_too_deeply

_SHOWN_CALLS, _CYCLES = 4, 50
_ENDLESS = (
    "these calls never end while tracing: {}; both sides of a dynamic condition are traced, "
    "so recursion has to end on a condition known while tracing: use a loop, or a Python number for the depth"
)


@contextmanager
def located() -> Iterator[None]:
    """Set the location of a FlyDSL error that has none yet to the innermost line of the user's code.

    An error with a location gets the callers that this traceback adds, as from the kernel up to its launch.
    """
    try:
        yield
    except FlyDSLError as error:
        lines = traceback_locations(error.__traceback__)[::-1]
        if lines and error.location in (None, lines[0]):
            if error.location is None and isinstance(error, FrontendError) and _needs_rewriting(error):
                _explain_plain_python(error)
            error.location, error.callers = lines[0], lines[1:]
        raise
    except RecursionError as error:
        raise _too_deep(error) from None
    except (TypeError, ValueError, RuntimeError) as error:
        raised = explained(error)
        if raised is None:
            raise
        lines = traceback_locations(error.__traceback__)[::-1]
        raised.location, raised.callers = (lines[0], lines[1:]) if lines else (None, [])
        raise raised from error


def _needs_rewriting(error: FrontendError) -> bool:
    """Whether Python asked a value for its truth or its number, which rewritten code does not do."""
    return error.is_condition or isinstance(error, DynamicValueError)


def _explain_plain_python(error: FrontendError) -> None:
    """Add to the message why a helper was not rewritten, if the error was raised in one."""
    explanation, entry = "", error.__traceback__
    while entry is not None:
        code, entry = entry.tb_frame.f_code, entry.tb_next
        reason = reason_not_rewritten(code)
        if error.is_condition and not reason and is_plain_helper(code):
            reason = "a function of Python called it; call it by its name, or loop over the items"
        explanation = f"{code.co_name} runs as plain Python: {reason}" if reason else explanation
    if explanation:
        error.amend(after=f"; {explanation}")


def _too_deep(error: RecursionError) -> FrontendError:
    """The error for what exhausted Python's stack while tracing: calls in a cycle, or deep nesting."""
    lines = traceback_locations(error.__traceback__)
    names = user_functions(error.__traceback__)
    cycle = list(dict.fromkeys(names[-_SHOWN_CALLS * 4 :]))
    is_cycle = bool(cycle) and Counter(names)[cycle[0]] >= _CYCLES
    chain = " -> ".join([*cycle[:_SHOWN_CALLS], *cycle[:1]])
    result = FrontendError(_ENDLESS.format(chain) if is_cycle else nested_too_deeply("this function"))
    if lines:
        result.location = Counter(lines).most_common(1)[0][0] if is_cycle else lines[-1]
        result.callers = [line for line in lines if line != result.location][:1]
    return result
