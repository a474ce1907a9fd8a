"""The decorator of public operations: remembers results and turns malformed Python arguments into LayoutError.

A result is remembered only when every argument `is_plain`: leaves that carry emitted values must be computed anew,
since what was emitted for them once may not be visible elsewhere in the program. Bare tuples are not remembered
either: `(4, 8.0)` equals `(4, 8)`, and only one of them is right.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from flydsl.base.errors import LayoutError
from flydsl.layout.leaf import Dyn

P = ParamSpec("P")
R = TypeVar("R")


class _NotPlainError(Exception):
    """An argument must not be the key of a remembered result."""


def operation(function: Callable[P, R]) -> Callable[P, R]:
    """`function` with remembered results; the undecorated one stays available as `__wrapped__`."""

    @lru_cache(maxsize=4096, typed=True)
    def remembered(*args: Any, **kwargs: Any) -> R:
        if not all(map(_is_plain, (*args, *kwargs.values()))):
            raise _NotPlainError
        return function(*args, **kwargs)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for arg in (*args, *kwargs.values()) if kwargs else args:
            if type(arg) is tuple:  # not remembered; one that is nested without end must not be hashed
                break
        else:
            try:
                return remembered(*args, **kwargs)  # type: ignore[arg-type]
            except _NotPlainError:
                pass
            except (TypeError, RecursionError) as error:
                raise _malformed(function, args, kwargs, error) from error
        try:
            return function(*args, **kwargs)
        except (TypeError, RecursionError) as error:
            raise _malformed(function, args, kwargs, error) from error

    return call


def _is_plain(arg: object) -> bool:
    if isinstance(arg, Dyn):
        return type(arg) is Dyn
    return bool(getattr(arg, "is_plain", True))


def _malformed(
    function: Callable[..., Any], args: Any, kwargs: dict[str, Any], error: TypeError | RecursionError
) -> Exception:
    operands = (*args, *kwargs.values())
    if isinstance(error, RecursionError):
        return LayoutError(function.__name__, operands, "the operands are nested too deeply")
    try:
        signature(function).bind(*args, **kwargs)
    except TypeError:
        return LayoutError(function.__name__, operands, str(error))
    return LayoutError(function.__name__, operands, f"an operand has the wrong type ({error})")
