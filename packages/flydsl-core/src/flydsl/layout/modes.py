"""Mode surgery on int tuples, layouts and composed layouts: get, take, select, group, append, prepend, slice, dice.

On a composed layout the outer layout is cut; slicing adds the index of the fixed modes to the offset.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flydsl.base.errors import LayoutError
from flydsl.layout.int_tuple import IntTuple, checked, map_leaves, plus, rank
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, unchecked
from flydsl.layout.leaf import STAR

_MAX_RANK = 1024

X = TypeVar("X", IntTuple, Layout, ComposedLayout, AnyLayout)


def get(value: X, mode: int | tuple[int, ...]) -> X:
    """One mode, or the mode at a path; a leaf is its own mode 0."""
    result: X = _each("get", value, lambda t: _at_path(t, mode if isinstance(mode, tuple) else (mode,)))
    return result


def take(value: X, begin: int, end: int) -> X:
    """Modes begin to end - 1; a single one as it is."""
    _check_range("take", value, begin, end)
    result: X = _each("take", value, lambda t: _unwrapped(_as_tuple(t)[begin:end]))
    return result


def select(value: X, indices: tuple[int, ...] | list[int]) -> X:
    """The modes of these numbers; a single one as it is."""
    if not isinstance(indices, (tuple, list)) or not indices:
        raise LayoutError("select", (value, indices), "the indices are a non-empty tuple of mode numbers")
    result: X = _each("select", value, lambda t: _unwrapped(tuple([_modes("select", t, n)[n] for n in indices])))
    return result


def group(value: X, begin: int, end: int) -> X:
    """Modes begin to end - 1 replaced by one mode that holds them."""
    _check_range("group", value, begin, end)
    result: X = _each("group", value, lambda t: (*_as_tuple(t)[:begin], _as_tuple(t)[begin:end], *_as_tuple(t)[end:]))
    return result


def append(value: X, element: X, n: int | None = None) -> X:
    """`element` as one more mode at the end; with `n`, as often as it takes to reach rank `n`."""
    result: X = _extended("append", value, element, n, lambda t, extra: (*_as_tuple(t), *extra))
    return result


def prepend(value: X, element: X, n: int | None = None) -> X:
    """`element` as one more mode in front; with `n`, as often as it takes to reach rank `n`."""
    result: X = _extended("prepend", value, element, n, lambda t, extra: (*extra, *_as_tuple(t)))
    return result


def slice_(value: X, coord: Any) -> X:
    """The parts where `coord` has `*` (or None), unwrapped when there is one; `1:0` when a layout has none.

    The coordinates of the other modes are dropped: their index, `crd2idx` with 0 for every `*`, is the caller's to add
    (a composed layout adds it to the offset of its innermost level itself).
    """
    where = checked("slice", coord, "coordinate", star=True)
    if isinstance(value, ComposedLayout):
        if isinstance(value.outer, ComposedLayout):
            return ComposedLayout(value.inner, value.offset, slice_(value.outer, where))
        offset = plus(value.offset, value.outer(zero_stars(where)))
        return ComposedLayout(value.inner, offset, slice_(value.outer, where))
    result: X = _cut("slice", value, where, keep_stars=True)
    return result


def dice(value: X, coord: Any) -> X:
    """The parts where `coord` has no `*`: what `slice_` drops."""
    result: X = _cut("dice", value, checked("dice", coord, "coordinate", star=True), keep_stars=False)
    return result


def zero_stars(coord: IntTuple) -> IntTuple:
    """`coord` with 0 for every `*`."""
    return map_leaves(lambda part: 0 if part is STAR else part, coord)


def _each(op: str, value: Any, function: Callable[[IntTuple], IntTuple]) -> Any:
    """`function` on an int tuple, on shape and stride of a layout, or on the outer part of a composed layout."""
    if isinstance(value, Layout):
        return unchecked(function(value.shape), function(value.stride))
    if isinstance(value, ComposedLayout):
        return ComposedLayout(value.inner, value.offset, _each(op, value.outer, function))
    return function(checked(op, value, star=True))


def _at_path(value: IntTuple, path: tuple[int, ...]) -> IntTuple:
    for number in path:
        value = _modes("get", value, number)[number]
    return value


def _as_tuple(value: IntTuple) -> tuple[IntTuple, ...]:
    return value if isinstance(value, tuple) else (value,)


def _modes(op: str, value: IntTuple, number: Any) -> tuple[IntTuple, ...]:
    modes = _as_tuple(value)
    if type(number) is not int or not 0 <= number < len(modes):
        raise LayoutError(op, (value, number), f"the mode must be one of the {len(modes)} modes")
    return modes


def _rank(op: str, value: Any) -> int:
    return value.rank if isinstance(value, (Layout, ComposedLayout)) else rank(checked(op, value, star=True))


def _check_range(op: str, value: Any, begin: Any, end: Any) -> None:
    modes = _rank(op, value)
    if type(begin) is not int or type(end) is not int or not 0 <= begin < end <= modes:
        raise LayoutError(op, (value, begin, end), f"begin and end must bound at least one of the {modes} modes")


def _extended(op: str, value: Any, element: Any, n: Any, join: Callable[[IntTuple, list[IntTuple]], IntTuple]) -> Any:
    count = 1 if n is None else n - _rank(op, value) if type(n) is int else -1
    if not 0 <= count <= _MAX_RANK:
        raise LayoutError(op, (value, element, n), f"n must be an integer from the rank up, at most {_MAX_RANK} more")
    if isinstance(value, ComposedLayout):
        return ComposedLayout(value.inner, value.offset, _extended(op, value.outer, element, n, join))
    if isinstance(value, Layout):
        if not isinstance(element, Layout):
            raise LayoutError(op, (value, element), "a layout is extended by a layout")
        if not count:
            return value
        return unchecked(join(value.shape, [element.shape] * count), join(value.stride, [element.stride] * count))
    part = checked(op, element, star=True)
    return join(checked(op, value, star=True), [part] * count) if count else checked(op, value, star=True)


def _cut(op: str, value: Any, coord: IntTuple, *, keep_stars: bool) -> Any:
    if isinstance(value, Layout):
        shape, stride = (_kept(op, part, coord, keep_stars) for part in (value.shape, value.stride))
        return unchecked(_unwrapped(shape), _unwrapped(stride)) if shape else unchecked(1, 0)
    if isinstance(value, ComposedLayout):
        return ComposedLayout(value.inner, value.offset, _cut(op, value.outer, coord, keep_stars=keep_stars))
    kept = _kept(op, checked(op, value, star=True), coord, keep_stars)
    if not kept:
        raise LayoutError(op, (value, coord), "nothing is left")
    return _unwrapped(kept)


def _kept(op: str, value: IntTuple, coord: IntTuple, keep_stars: bool) -> tuple[IntTuple, ...]:
    """The kept parts, those of nested coordinates spliced in."""
    if not isinstance(coord, tuple):
        return (value,) if (coord is STAR) == keep_stars else ()
    if not isinstance(value, tuple) or len(value) != len(coord):
        raise LayoutError(op, (value, coord), "the coordinate must have the rank of what it cuts")
    parts: tuple[IntTuple, ...] = ()
    for part, c in zip(value, coord, strict=True):
        parts += _kept(op, part, c, keep_stars)
    return parts


def _unwrapped(parts: tuple[IntTuple, ...]) -> IntTuple:
    return parts[0] if len(parts) == 1 else parts
