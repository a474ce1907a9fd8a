"""Names of minima and maxima of floats in, letters of their operands and functions of one lane out.

Three kinds: gfx9's and RDNA 3's, where IEEE mode counts; `_num`, where a number wins against any NaN; and
`minimum` and `maximum`, where any NaN wins. -0 is below +0 in all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .floats import ANY_NAN, F16, NAN, Float
from .numbers import FORMATS, SUFFIX, Mode, Table

Choice = Callable[[Float, Mode, Any, Any, bool], Any]


def by_mode(form: Float, mode: Mode, a: Any, b: Any, largest: bool) -> Any:
    """A NaN loses against a number, a signalling one wins in IEEE mode."""
    if a is ANY_NAN or b is ANY_NAN:
        return b if a is ANY_NAN and (b is ANY_NAN or not form.is_nan(b)) else ANY_NAN if a is ANY_NAN else a
    if mode.ieee and form.is_signalling(a):
        return form.quiet(a)
    if mode.ieee and form.is_signalling(b):
        return form.quiet(b)
    if form.is_nan(a):
        return ANY_NAN if form.is_nan(b) else b
    return a if form.is_nan(b) or form.less(a, b) != largest else b


def number(form: Float, mode: Mode, a: Any, b: Any, largest: bool) -> Any:
    """IEEE 754-2019's minimumNumber."""
    nans = [v is NAN or form.is_nan(v) for v in (a, b)]
    if all(nans):
        return NAN
    if any(nans):
        return b if nans[0] else a
    return a if form.less(a, b) != largest else b


def propagating(form: Float, mode: Mode, a: Any, b: Any, largest: bool) -> Any:
    """IEEE 754-2019's minimum."""
    if NAN in (a, b) or form.is_nan(a) or form.is_nan(b):
        return NAN
    return a if form.less(a, b) != largest else b


def pair(choice: Choice, first: bool, second: bool) -> Callable[..., Any]:
    """Of three: a minimum, or a maximum where True, of two, and then with the third."""
    return lambda f, m, a, b, c: choice(f, m, choice(f, m, a, b, first), c, second)


def median(choice: Choice) -> Callable[..., Any]:
    """With a NaN the least of three; else the larger of what is left without the largest."""

    def of(form: Float, mode: Mode, a: int, b: int, c: int) -> Any:
        if any(form.is_nan(v) for v in (a, b, c)):
            return pair(choice, False, False)(form, mode, a, b, c)
        top = pair(choice, True, True)(form, mode, a, b, c)
        equal = [v == top or (form.is_zero(v) and form.is_zero(top)) for v in (a, b)]
        return choice(form, mode, *((b, c) if equal[0] else (a, c) if equal[1] else (a, b)), True)

    return of


MINIMA: Table = {}


def add(name: str, count: int, function: Callable[..., Any], widths: str) -> None:
    for letter in widths:
        keeps = "!" if letter == "h" and count == 3 else ""
        MINIMA[f"v_{name}_{SUFFIX[letter]}"] = (
            letter + keeps, letter * count, lambda m, *v, f=FORMATS[letter]: function(f, m, *v),
        )  # fmt: skip


def add_packed(name: str, count: int, function: Callable[..., Any]) -> None:
    MINIMA[f"v_pk_{name}_f16"] = (
        "p", "p" * count,
        lambda m, *v: [function(F16, m, *(x & 0xFFFF for x in v)), function(F16, m, *(x >> 16 for x in v))],
    )  # fmt: skip


for _tail, _choice in (("", by_mode), ("_num", number)):
    for _word, _largest in (("min", False), ("max", True)):
        _two = lambda f, m, a, b, c=_choice, x=_largest: c(f, m, a, b, x)  # noqa: E731
        add(f"{_word}{_tail}", 2, _two, "fdh")
        add_packed(f"{_word}{_tail}", 2, _two)
        add(f"{_word}3{_tail}", 3, pair(_choice, _largest, _largest), "fh")
    add(f"med3{_tail}", 3, median(_choice), "fh")
    add(f"minmax{_tail}", 3, pair(_choice, False, True), "fh")
    add(f"maxmin{_tail}", 3, pair(_choice, True, False), "fh")
for _word, _largest in (("minimum", False), ("maximum", True)):
    _two = lambda f, m, a, b, x=_largest: propagating(f, m, a, b, x)  # noqa: E731
    add(_word, 2, _two, "fdh")
    add_packed(_word, 2, _two)
    add(f"{_word}3", 3, pair(propagating, _largest, _largest), "fh")
    add_packed(f"{_word}3", 3, pair(propagating, _largest, _largest))
add("minimummaximum", 3, pair(propagating, False, True), "fh")
add("maximumminimum", 3, pair(propagating, True, False), "fh")
