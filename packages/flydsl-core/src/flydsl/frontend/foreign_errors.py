"""Errors of Python and other libraries about values of a kernel, with what to write instead."""

from __future__ import annotations

from types import TracebackType

from flydsl.base.errors import FrontendError
from flydsl.base.location import is_of_library, raised_by_user
from flydsl.base.startup.pattern import pattern
from flydsl.expr.numbers.registry import numeric_types
from flydsl.expr.numeric import Numeric

_OTHERS = ("Tensor", "Vector", "IntTuple", "Layout", "Tuple3D", "Pointer", "ElementwiseScalar")
_CALL = r"^'?(\w+)\(\)"
_ADVICE = {
    "__round__": "use fx.round or fx.roundeven, which give a float, and .to(fx.Int32) for an integer",
    "__trunc__": "use fx.trunc, or .to(fx.Int32) for an integer",
    "for @": "multiply numbers with *, tiles with fx.gemm",
    "format string": "print with fx.printf('{:.3f}', x)",
    "unpack": "read one element at a time, as in x[0]",
    "relu": "use fx.max(x, 0.0)",
    "pow()": "write x ** y % z",
}


def explained(error: Exception) -> FrontendError | None:
    """An error that tells of a value of a kernel, raised by Python or another library.

    None for other errors, and for what a `raise` of the user's code says about its own arguments.
    """
    if raised_by_user(error.__traceback__):
        return None
    message = str(error)
    if isinstance(error, FrontendError) or not _names_value(message) or is_of_library(_last(error.__traceback__)):
        return None
    advice = next((advice for part, advice in _ADVICE.items() if part in message), "") or _function_of_ours(message)
    return FrontendError(
        f"{message}; Python and other libraries cannot compute with a value of a kernel, which is known only when it "
        f"runs; {advice or 'use functions of fx'}"
    )


def _names_value(message: str) -> bool:
    names = (*(kind.__name__ for kind in numeric_types()), *_OTHERS)
    return any(word in names for word in pattern(r"\w+").findall(message))


def _function_of_ours(message: str) -> str:
    """The function of the language that has the name of the one that failed."""
    import flydsl.expr as fx

    match = pattern(_CALL).match(message)
    return f"use fx.{match[1]}" if match and hasattr(fx, match[1]) and not hasattr(Numeric, match[1]) else ""


def _last(traceback: TracebackType | None) -> TracebackType:
    assert traceback is not None
    while traceback.tb_next is not None:
        traceback = traceback.tb_next
    return traceback
