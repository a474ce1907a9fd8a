"""The meaning of arithmetic: results of operations on numbers, each rounded once to its format.

Tracing folds by these functions and the interpreter computes by them; what backends make is compared with exact
results. Integers are Python's; a float is the double that has its value, of whatever format it is.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

from flydsl.base.float_formats import EXPONENT_ONLY, FLOAT_FORMATS, exponent_bits, exponent_value

Real: TypeAlias = "int | float"
Rounding: TypeAlias = Callable[[Real], float]


@cache
def rounding(name: str) -> Rounding:
    """The rounding of exact numbers to nearest, ties to even, by the MLIR name of a float type."""
    if name == "f64":
        return _to_f64
    if name in _CODES:
        return _through(struct.Struct(_CODES[name]))
    if name == EXPONENT_ONLY:
        return lambda value: exponent_value(exponent_bits(_to_double(value)))
    form = FLOAT_FORMATS[name]
    return lambda value: form.decode(form.encode(_to_double(value)))


def to_odd(nearest: float, error: float) -> float:
    """`nearest + error` rounded to odd: rounding that again is as good as rounding once.

    Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", 2008.
    """
    if error == 0 or struct.unpack("<q", struct.pack("<d", nearest))[0] & 1:
        return nearest
    return math.nextafter(nearest, math.inf if error > 0 else -math.inf)


def wrapped(value: int, width: int, *, signed: bool = True) -> int:
    """An integer modulo 2^width, as a number of that width; one bit is 0 or 1."""
    low = value & ((1 << width) - 1)
    return low - (1 << width) if signed and width > 1 and low >> (width - 1) else low


def truncated_quotient(a: int, b: int) -> int:
    """a / b rounded towards 0, as C has it."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def truncated_remainder(a: int, b: int) -> int:
    """What `truncated_quotient` leaves: it has the sign of `a`."""
    return a - b * truncated_quotient(a, b)


def quotient(a: float, b: float) -> float:
    """a / b with infinities and NaN in place of exceptions."""
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """C's fmod: exact, with the sign of `a`."""
    return math.nan if math.isinf(a) or b == 0 else math.fmod(a, b)


def floor_division(a: float, b: float, step: Rounding) -> tuple[float, float]:
    """Python's `divmod(a, b)`, with `step` for the rounding of each step; by zero, (a / b, NaN), as NumPy has it."""
    rest = remainder(a, b)
    count = step(quotient(step(a - rest) if b else a, b))
    if rest != 0 and (rest < 0) != (b < 0):
        rest, count = step(rest + b), step(count - 1)
    if rest == 0:
        rest = math.copysign(0.0, b)
    if count == 0:
        return math.copysign(0.0, a) * math.copysign(1.0, b), rest
    whole = float(math.floor(count)) if math.isfinite(count) else count
    return (step(whole + 1) if count - whole > 0.5 else whole), rest


def maximum(a: float, b: float) -> float:
    """The larger, NaN if there is one; 0 is larger than -0."""
    if a != a or b != b:
        return math.nan
    return (a if math.copysign(1, a) > 0 else b) if a == b else a if a > b else b


def minimum(a: float, b: float) -> float:
    """The smaller, NaN if there is one; -0 is smaller than 0."""
    return -maximum(-a, -b)


def maximum_number(a: float, b: float) -> float:
    """The larger; of a number and a NaN, the number."""
    return b if a != a else a if b != b else maximum(a, b)


def minimum_number(a: float, b: float) -> float:
    """The smaller; of a number and a NaN, the number."""
    return b if a != a else a if b != b else minimum(a, b)


_CODES = {"f16": "<e", "f32": "<f"}  # Python's own conversions are faster than ours


def _to_f64(value: Real) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _to_double(value: Real) -> float:
    """A double that rounds to a narrower format as the number does."""
    nearest = _to_f64(value)
    if isinstance(value, float) or math.isinf(nearest):
        return nearest
    return to_odd(nearest, float(value - int(nearest)))


def _through(form: struct.Struct) -> Rounding:
    pack, unpack = form.pack, form.unpack

    def convert(value: Real) -> float:
        double = value if value.__class__ is float else _to_double(value)
        try:
            return unpack(pack(double))[0]  # type: ignore[no-any-return]
        except OverflowError:
            return math.copysign(math.inf, double)

    return convert
