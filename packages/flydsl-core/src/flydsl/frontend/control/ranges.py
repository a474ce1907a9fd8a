"""`range` in traced code: a device loop, or the numbers of a loop that Python runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numeric import Int32, Int64, Numeric, Uint32, Uint64, as_numeric
from flydsl.expr.threads.compile_time import range_constexpr
from flydsl.expr.threads.loops import checked_unroll, first_dynamic
from flydsl.expr.threads.loops import range as typed_range
from flydsl.frontend.control.value_bounds import bounds_of


@dataclass(frozen=True, slots=True)
class LoopRange:
    """A loop whose counter goes up from `start` to `stop` by `step`, `unroll` iterations of the body at a time.

    Compilers keep to `unroll`, None leaves it to them. The counter never leaves its type: `stop - 1 + step` is in it,
    or no iteration gets there. `item` tells the number that the body sees from the counter.
    """

    start: Numeric
    stop: Numeric
    step: Numeric
    unroll: int | None
    item: Callable[[Numeric], Any]


def loop_range(args: Sequence[Any], unroll: Any = None) -> LoopRange:
    """The arguments of `range` as a loop over one integer type; a step that is 0 only at run time makes no iteration.

    A descending range counts up over its numbers with all bits inverted (-1 - n for n), which reverses their order and
    never overflows.
    """
    if not 1 <= len(args) <= 3:
        raise FrontendError(f"range takes 1 to 3 numbers, found {len(args)}; write range(start, stop, step)")
    start, stop, step = map(_scalar, (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3])
    dtype, count = _item_type(start, stop, step), checked_unroll(unroll)
    if not step.is_static:
        return _of_either_direction(dtype(start), dtype(stop), step, count)
    if step.value == 0:
        raise FrontendError("a range needs a step other than 0; count by 1 or more, or by -1 or less")
    span = _Span(dtype(start), dtype(stop), _mask(dtype, is_down=step.value < 0))
    return _with_static_step(span, abs(int(step.value)), count)


@dataclass(frozen=True, slots=True)
class _Span:
    """The numbers from `start` up to `stop`, of the type that the body sees, or all of them with the bits of `mask`
    inverted; the mask of unsigned numbers puts them into the order of signed ones.
    """

    start: Numeric
    stop: Numeric
    mask: int | Numeric

    @property
    def dtype(self) -> type[Numeric]:
        return type(self.start)

    def ends(self, counter: type[Numeric]) -> tuple[Numeric, Numeric]:
        """The first number and the limit as a counter has them."""
        return counter(_inverted(counter(self.start), self.mask)), counter(_inverted(counter(self.stop), self.mask))

    def number(self, count: Numeric) -> Numeric:
        """What the body sees of a counter."""
        return self.dtype(_inverted(count, self.mask))

    def bounds(self) -> tuple[int, int]:
        """The least first number, and the greatest limit, of the counter."""
        (low, high), (least, most) = bounds_of(self.start), bounds_of(self.stop)
        return (~high, ~least) if self.mask == -1 else (low, most)


def _with_static_step(span: _Span, step: int, unroll: int | None) -> LoopRange:
    """Counted by the step itself where the counter stays in its type, from as far below as it takes, or in 64 bits."""
    counter = Int64 if span.dtype in (Uint32, Uint64) or step > _most(Int32) else span.dtype
    first, last = span.ends(counter)
    low, high = span.bounds() if span.dtype is counter else (-_most(counter) - 1, _most(counter))
    if high - 1 + step <= _most(counter) or span.dtype is Uint32 or (counter is Int64 and span.dtype is Int32):
        return LoopRange(first, last, counter(step), unroll, span.number)
    if low - (step - 1) >= -_most(counter) - 1:
        back = counter((last > _most(counter) - (step - 1)).select(counter(step - 1), counter(0)))
        item = span.number if back.is_static and back.value == 0 else lambda count: span.number(counter(count + back))
        return LoopRange(counter(first - back), counter(last - back), counter(step), unroll, item)
    if counter is Int32:
        return LoopRange(*span.ends(Int64), Int64(step), unroll, span.number)
    return _by_turns(span, Int64(step), unroll)


def _of_either_direction(start: Numeric, stop: Numeric, step: Numeric, unroll: int | None) -> LoopRange:
    """The loop for a step whose sign is known at run time only; 64 bits hold all sums of narrower numbers."""
    dtype = type(start)
    wide = Int64(step)
    mask = Int64(0) if type(step) is Uint64 else Int64(wide >> 63)
    size = Int64((wide ^ mask) - mask)
    if dtype is Uint64:
        mask = Int64(mask ^ _mask(Uint64, is_down=False))
    span = _Span(dtype(start), dtype((step == 0).select(start, stop)), mask)
    size = Int64((size == 0).select(Int64(1), size))
    if dtype.width > 32 or step.width > 32:
        return _by_turns(span, size, unroll)
    first, last = span.ends(Int64)
    return LoopRange(first, last, size, unroll, span.number)


def _by_turns(span: _Span, step: Numeric, unroll: int | None) -> LoopRange:
    """The loop that counts its iterations, from the least number on: there may be more than 2^63 of them."""
    first, last = span.ends(Int64)
    least = Int64(-_most(Int64) - 1)
    turns = Uint64((Uint64(Int64(last - first)) - 1) // Uint64(step) + 1)
    turns = Uint64((first < last).select(turns, Uint64(0)))

    def item(count: Numeric) -> Numeric:
        return span.number(Int64(first + Int64(count ^ least) * step))

    return LoopRange(least, Int64(Int64(turns) ^ least), Int64(1), unroll, item)


def _inverted(number: Numeric, mask: int | Numeric) -> Numeric:
    if isinstance(mask, int):
        return number if mask == 0 else type(number)(~number) if mask == -1 else number ^ mask
    return mask ^ number


def _mask(dtype: type[Numeric], *, is_down: bool) -> int:
    """The bits to invert so that numbers of a type are in the order of signed ones."""
    sign = -(1 << 63) if dtype is Uint64 else 0
    return ~sign if is_down else sign


def _most(dtype: type[Numeric]) -> int:
    return (1 << (dtype.width - 1)) - 1


def is_device_range(function: object) -> bool:
    """Whether a function is Python's `range` or `fx.range`, which are the same as heads of loops."""
    return function is range or function is typed_range


def static_items(range_: Any, bounds: Sequence[Any], unroll: Any = None) -> Iterable[Any]:
    """The items of a loop that Python runs."""
    if not is_device_range(range_):
        return range_(*bounds) if unroll is None else range_(*bounds, unroll=unroll)  # type: ignore[no-any-return]
    dynamic = first_dynamic(bounds)
    if unroll is True and dynamic is not None:
        raise FrontendError(
            f"unroll=True needs bounds known while tracing, found {dynamic!r}; give a number, as in unroll=4"
        )
    return range_constexpr(*bounds)


def _item_type(start: Numeric, stop: Numeric, step: Numeric) -> type[Numeric]:
    """What the body sees: Int32 or Int64 as the widest bound needs, Uint32 or Uint64 between two unsigned bounds."""
    for scalar in (start, stop, step):
        if scalar.dtype.is_float:
            raise FrontendError(f"range takes integers, found {scalar!r}; convert it with fx.Int32(...)")
    kinds = {type(bound) for bound in (start, stop)}
    for dtype in (Uint64, Uint32):
        if dtype in kinds:
            return dtype if all(_is_unsigned(bound, dtype) for bound in (start, stop)) else Int64
    return Int64 if any(scalar.width > 32 for scalar in (start, stop, step)) else Int32


def _is_unsigned(bound: Numeric, dtype: type[Numeric]) -> bool:
    if bound.is_static:
        return 0 <= int(bound.value) < 1 << dtype.width
    return not bound.dtype.is_signed and bound.width <= dtype.width


def _scalar(bound: Any) -> Numeric:
    try:
        return as_numeric(bound)
    except FrontendError:
        raise FrontendError(f"range takes integers, found {bound!r}") from None
