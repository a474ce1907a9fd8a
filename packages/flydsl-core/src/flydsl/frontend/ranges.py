"""`range` in traced code: a device loop, or the numbers of a loop that Python runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError, UnsupportedConstructError
from flydsl.expr.numeric import Int32, Int64, Numeric, as_numeric
from flydsl.expr.threads.compile_time import range_constexpr


@dataclass(frozen=True, slots=True)
class LoopRange:
    """A loop that counts up from `start` to `stop` by `step`, `unroll` iterations of the body at a time.

    A descending range counts up over its numbers with all bits inverted (-1 - n for n), which reverses their order and
    never overflows: `mirror` is the mask of bits to invert, all or none; None for an ascending range.
    """

    start: Numeric
    stop: Numeric
    step: Numeric
    unroll: int = 1
    mirror: Numeric | None = None

    def item(self, count: Numeric) -> Any:
        """The index that the body sees."""
        return count if self.mirror is None else self.mirror ^ count


def loop_range(args: Sequence[Any], unroll: Any = None) -> LoopRange:
    """The arguments of `range` as a loop of one integer type; a step that is 0 only at run time makes no iteration."""
    if not 1 <= len(args) <= 3:
        raise FrontendError(f"range takes 1 to 3 numbers, found {len(args)}; write range(start, stop, step)")
    start, stop, step = _scalars((0, args[0], 1) if len(args) == 1 else (*args, 1)[:3])
    count = _unroll(unroll)
    if not step.is_static:
        return _of_either_direction(start, stop, step, count)
    if step.value > 0:
        return LoopRange(start, stop, step, count)
    if step.value == 0:
        raise FrontendError("a range needs a step other than 0; count by 1 or more, or by -1 or less")
    dtype = type(start)
    return LoopRange(dtype(~start), dtype(~stop), dtype.wrap(-step.value), count, dtype.wrap(-1))


def _of_either_direction(start: Numeric, stop: Numeric, step: Numeric, count: int) -> LoopRange:
    """The loop for a step whose sign is known at run time only."""
    dtype = type(start)
    mirror = dtype(step >> (dtype.width - 1))
    first, last = dtype(start ^ mirror), dtype(stop ^ mirror)
    last = dtype((step == 0).select(first, last))
    return LoopRange(first, last, dtype((step ^ mirror) - mirror), count, mirror)


def static_items(range_: Any, bounds: Sequence[Any]) -> Iterable[Any]:
    """The items of a loop that Python runs."""
    return range_constexpr(*bounds) if range_ is range else range_(*bounds)


def _scalars(bounds: Sequence[Any]) -> list[Numeric]:
    scalars = [_scalar(bound) for bound in bounds]
    floats = [scalar for scalar in scalars if scalar.dtype.is_float]
    if floats:
        raise FrontendError(f"range takes integers, found {floats[0]!r}; convert it with fx.Int32(...)")
    wide = Int64 if any(scalar.width > 32 for scalar in scalars) else Int32
    return [wide(scalar) for scalar in scalars]


def _scalar(bound: Any) -> Numeric:
    try:
        return as_numeric(bound)
    except FrontendError:
        raise FrontendError(f"range takes integers, found {bound!r}") from None


def _unroll(unroll: Any) -> int:
    if unroll is None or unroll is False:
        return 1
    if not isinstance(unroll, int) or unroll < 1:
        raise UnsupportedConstructError(
            f"unroll is True or a positive number known while tracing, found {unroll!r}; "
            "True unrolls a range of static bounds completely"
        )
    return unroll
