"""Names of instructions that are not correctly rounded in, letters of their operands and functions of one lane out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .floats import NAN, Float
from .numbers import FORMATS, SUFFIX, Mode, Near, Table, logarithm


def value_of(form: Float, code: int) -> float:
    if form.is_nan(code):
        return math.nan
    if form.is_infinite(code):
        return -math.inf if code & form.sign else math.inf
    number = form.number(code)
    size = math.ldexp(number.size, number.exponent)
    return -size if number.negative else size


def near(form: Float, function: Callable[[float], float], ulps: float, floor: float) -> Callable[[Mode, int], Any]:
    def lane(_: Mode, a: int) -> Any:
        x = value_of(form, a)
        if math.isnan(x):
            return NAN
        try:
            return Near(function(x), ulps, floor)
        except ZeroDivisionError:
            return form.infinity | a & form.sign
        except ValueError:
            return NAN
        except OverflowError:
            return form.infinity

    return lane


def turned(function: Callable[[float], float]) -> Callable[[float], float]:
    """Of turns; the whole ones do not count."""
    return lambda x: function(2 * math.pi * math.fmod(x, 1.0))


FUNCTIONS: dict[str, tuple[str, Callable[[float], float], float]] = {
    "rcp": ("dh", lambda x: 1 / x, 0),
    "rsq": ("dh", lambda x: 1 / math.sqrt(x), 0),
    "sqrt": ("dh", math.sqrt, 0),
    "exp": ("h", math.exp2, 0),
    "log": ("h", logarithm, 2.0**-10),
    "sin": ("fh", turned(math.sin), 2.0**-10),
    "cos": ("fh", turned(math.cos), 2.0**-10),
    "rcp_iflag": ("f", lambda x: 1 / x, 0),
    "exp_legacy": ("f", math.exp2, 0),
    "log_legacy": ("f", logarithm, 2.0**-10),
}
"""Widths besides f32's, the function, and how far off a result near zero may be."""
ROUGH: Table = {}
for _name, (_widths, _function, _floor) in FUNCTIONS.items():
    for _letter in _widths:
        _ulps = 2.0**30 if _letter == "d" else 4
        ROUGH[f"v_{_name}_{SUFFIX[_letter]}"] = (_letter, _letter, near(FORMATS[_letter], _function, _ulps, _floor))
