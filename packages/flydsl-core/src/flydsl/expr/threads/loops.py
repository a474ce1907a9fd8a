"""`fx.range`: Python's `range` with the keywords that it takes as the head of a loop of traced code, for type checkers.

The front end reads the loop from its source, as it does with Python's own `range`; what is here runs elsewhere.
"""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeVar, overload

from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.base.interception import is_tracing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flydsl.expr.values.operand_types import IntLike
    from flydsl.expr.values.traced_types import Leaf

__all__ = ["range"]

T = TypeVar("T")

_HEAD = "write it as the head of a loop, `for i in fx.range(...)`, in a function that is traced"


@overload
def range(stop: IntLike, /, *, unroll: int | None = None) -> Sequence[Leaf]: ...
@overload
def range(start: IntLike, stop: IntLike, step: IntLike = 1, /, *, unroll: int | None = None) -> Sequence[Leaf]: ...
@overload
def range(
    stop: IntLike, /, *, init: list[T] | tuple[T, ...], unroll: int | None = None
) -> Iterable[tuple[Leaf, list[T]]]: ...
@overload
def range(
    start: IntLike,
    stop: IntLike,
    step: IntLike = 1,
    /,
    *,
    init: list[T] | tuple[T, ...],
    unroll: int | None = None,
) -> Iterable[tuple[Leaf, list[T]]]: ...
@overload
def range(stop: IntLike, /, *, init: T, unroll: int | None = None) -> Iterable[tuple[Leaf, T]]: ...
@overload
def range(
    start: IntLike, stop: IntLike, step: IntLike = 1, /, *, init: T, unroll: int | None = None
) -> Iterable[tuple[Leaf, T]]: ...
def range(*bounds: IntLike, init: object = None, unroll: int | None = None) -> Any:
    """`range` as the head of a loop in a kernel, `for i in fx.range(n, unroll=4)`: Python's own, with typed keywords.

    `unroll=1` keeps it a loop, another number makes so many iterations at a time, True all of them. `init=` is a state
    that `yield` at the end of the body gives the next iteration. Where Python runs it, as outside of kernels, it is
    Python's range; FrontendError there for what only a loop of the device can do.
    """
    turns = checked_unroll(unroll)
    if init is not None:
        raise FrontendError(f"range with init= is a loop of traced code whose body ends with `yield`; {_HEAD}")
    if is_tracing():
        if turns is not None and turns is not True:
            raise FrontendError(f"range with unroll= is a loop of traced code, and Python runs this one; {_HEAD}")
        dynamic = first_dynamic(bounds)
        if dynamic is not None:
            raise FrontendError(f"Python runs this range, and {dynamic!r} is known only at run time; {_HEAD}")
    return builtins.range(*bounds)


def first_dynamic(bounds: Iterable[object]) -> object:
    """The first bound that is known only at run time, None if all are known while tracing."""
    return next((bound for bound in bounds if not getattr(bound, "is_static", True)), None)


def checked_unroll(unroll: object) -> int | None:
    """How many iterations `unroll=` asks for at a time, None if it says nothing."""
    if unroll is None or unroll is False:
        return None
    number = _index(unroll)
    if number is not None and number >= 1:
        return number
    raise UnsupportedConstructError(
        f"unroll is True or a positive number known while tracing, found {unroll!r}; "
        "1 keeps the loop as it is, True unrolls a range of static bounds completely"
    )


def _index(value: object) -> int | None:
    """An integer that is known while tracing, True among them; None for any other value."""
    if value is True:
        return value
    if not getattr(value, "is_static", True) or getattr(value, "is_float", False):
        return None
    return value.__index__() if isinstance(value, SupportsIndex) else None
