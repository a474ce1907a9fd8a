"""An oracle of arithmetic that shares nothing with FlyDSL: exact fractions, and the formats of NumPy and ml_dtypes."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

Number = int | float
"""Integers, and floats of any format as the doubles of their values."""


@dataclass(frozen=True)
class Kind:
    """A numeric type by its name in `fx`: what its numbers are, and how they lie in memory."""

    name: str
    bits: int
    signed: bool = False
    storage: Any = None
    """NumPy's type of its elements, None where an array has none."""

    @property
    def is_float(self) -> bool:
        """Whether its numbers are floats."""
        return self.name.startswith(("Float", "BFloat"))

    @property
    def limits(self) -> tuple[int, int]:
        """The least and the greatest integer."""
        low = -(1 << (self.bits - 1)) if self.signed else 0
        return low, low + (1 << self.bits) - 1

    def wrap(self, value: int) -> int:
        """An integer modulo 2^bits."""
        low = self.limits[0]
        return (value - low) % (1 << self.bits) + low

    def nearest(self, value: Fraction) -> float:
        """The float nearest to an exact number, ties to even; beyond the largest one what the format has for that."""
        if self.bits > 8:
            return _nearest(value, *_WIDE[self.name])
        if self.name == "Float8E8M0FNU":
            return _nearest_power(value)
        return _nearest_of_few(value, self.storage)


_WIDE = {"Float16": (11, -14, 15), "BFloat16": (8, -126, 127), "Float32": (24, -126, 127), "Float64": (53, -1022, 1023)}
"""Bits of the significand, and the exponents of the least normal number and of the largest."""

_INTEGERS = [
    Kind(f"{'Int' if signed else 'Uint'}{bits}", bits, signed, np.dtype(f"{'' if signed else 'u'}int{bits}"))
    for signed in (True, False)
    for bits in (8, 16, 32, 64)
]
_FLOATS = [
    Kind("Float64", 64, True, np.dtype(np.float64)),
    Kind("Float32", 32, True, np.dtype(np.float32)),
    Kind("Float16", 16, True, np.dtype(np.float16)),
    Kind("BFloat16", 16, True, np.dtype(ml_dtypes.bfloat16)),
]
_NARROW = [
    Kind(f"Float{name}", int(name[0]), True, np.dtype(getattr(ml_dtypes, f"float{name[0]}_{name[1:].lower()}")))
    for name in (
        *("8E4M3", "8E4M3FN", "8E4M3FNUZ", "8E4M3B11FNUZ", "8E5M2", "8E5M2FNUZ", "8E8M0FNU"),
        *("6E2M3FN", "6E3M2FN", "4E2M1FN"),
    )
]
KINDS = {
    kind.name: kind
    for kind in (
        *(Kind("Boolean", 1, False, np.dtype(bool)), Kind("Int4", 4, True), *_INTEGERS),
        *(Kind("Index", 64), Kind("Int128", 128, True), Kind("Uint128", 128), *_FLOATS, *_NARROW),
    )
}


def _nearest(value: Fraction, precision: int, least: int, greatest: int) -> float:
    size = abs(value)
    exponent = least
    if size:
        exponent = max(least, _exponent(size))
    unit = Fraction(2) ** (exponent - precision + 1)
    count = round(size / unit)  # of a fraction, to even
    rounded = count * unit
    if rounded >= Fraction(2) ** (greatest + 1):
        return math.inf if value > 0 else -math.inf
    return math.copysign(float(rounded), -1.0 if value < 0 else 1.0)


def _exponent(size: Fraction) -> int:
    guess = size.numerator.bit_length() - size.denominator.bit_length()
    return guess if Fraction(2) ** guess <= size else guess - 1


def _nearest_power(value: Fraction) -> float:
    """The power of two, ties up, at least 2^-127; NaN for what is not positive, and from 1.5 * 2^127 on."""
    if value <= 0:
        return math.nan
    exponent = _exponent(value)
    exponent = max(exponent + (value >= 3 * Fraction(2) ** (exponent - 1)), -127)
    return math.ldexp(1.0, exponent) if exponent <= 127 else math.nan


@cache
def _positive_numbers(storage: np.dtype) -> tuple[list[float], float]:
    """The finite numbers of a small format in their order, and what stands for more."""
    name = storage.name
    bits = 7 if name.startswith("float8") else int(name[5]) - 1
    with np.errstate(all="ignore"):
        every = np.arange(1 << bits, dtype=np.uint8).view(storage).astype(np.float64)
        beyond = np.array([1e9]).astype(storage).astype(np.float64)[0]
    return every[np.isfinite(every)].tolist(), float(beyond)


def _nearest_of_few(value: Fraction, storage: np.dtype) -> float:
    numbers, beyond = _positive_numbers(storage)
    size, sign = abs(value), -1.0 if value < 0 else 1.0
    above = bisect.bisect_left(numbers, size)
    more = Fraction(numbers[-1]) * 2 - Fraction(numbers[-2])
    high = Fraction(numbers[above]) if above < len(numbers) else more
    if above < len(numbers) and high == size:
        chosen = above
    elif size >= more:
        chosen = len(numbers)
    else:
        middle = (Fraction(numbers[above - 1]) + high) / 2
        is_up = size > middle or (size == middle and above % 2 == 0)
        chosen = above if is_up else above - 1
    result = numbers[chosen] if chosen < len(numbers) else beyond
    has_signed_zero = not storage.name.endswith("uz")
    return result if math.isnan(result) or (result == 0 and not has_signed_zero) else math.copysign(result, sign)


def core_numbers(kind: Kind) -> list[Number]:
    """The few numbers of which all pairs are worth a look."""
    if not kind.is_float:
        low, high = kind.limits
        return sorted({low, high, *(value for value in (-1, 0, 1, 3) if low <= value <= high)})
    large = [value for value in special_numbers(kind) if math.isfinite(value)]
    numbers = [0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, -2.5, max(large)]
    return numbers if kind.bits > 8 else [1.0]


def special_numbers(kind: Kind) -> list[Number]:
    """Zeros, extremes, ties and their neighbours, powers of two and theirs."""
    if not kind.is_float:
        low, high = kind.limits
        found = {0, 1, 2, 3, 7, 10, -1, -2, -3, -7, low, low + 1, high, high - 1, high // 2 + 1, high // 2}
        for power in range(2, kind.bits):
            found |= {s * (1 << power) + d for s in (1, -1) for d in (-1, 0, 1)}
        for precision in (8, 11, 24, 53):
            for power in range(precision, kind.bits, 5):
                tie = (1 << power) + (1 << (power - precision))
                found |= {s * (tie + d) for s in (1, -1) for d in (-1, 0, 1)}
        return sorted(value for value in found if low <= value <= high)
    if kind.bits <= 8:
        return _all_of(kind)
    precision, least, greatest = _WIDE[kind.name]
    sizes: list[Fraction] = [Fraction(0)]
    for exponent in {least - precision + 1, least - 1, least, -20, -9, -1, 0, 1, 4, 8, 15, 16, 31, 63, greatest}:
        if least - precision < exponent <= greatest:
            sizes.append(Fraction(2) ** exponent)
            for bits in (2, 3, 4, 8, 11, 24):
                sizes += [Fraction(2) ** exponent * (1 + Fraction(2) ** -bits * m) for m in (1, 3)]
            sizes.append(Fraction(2) ** exponent * (2 - Fraction(2) ** (1 - precision)))
            sizes.append(Fraction(2) ** exponent * (1 + Fraction(2) ** (1 - precision)))
    sizes += [Fraction(x) for x in (448, 464, 480, 57344, 61440, 65504, 65519, 65520, 0.1, 0.2, 0.3, 3, 10, 2.5)]
    numbers = sorted({kind.nearest(size) for size in sizes})
    return [*numbers, *(-x for x in numbers), math.inf, -math.inf, math.nan]


def _all_of(kind: Kind) -> list[Number]:
    with np.errstate(all="ignore"):
        every = np.arange(1 << kind.bits, dtype=np.uint8).view(kind.storage).astype(np.float64)
    return every.tolist()  # type: ignore[no-any-return]


def random_number(kind: Kind, rng: Any) -> Number:
    """A number of random bits: integers of any length, floats of any exponent."""
    if not kind.is_float:
        bits = rng.randrange(kind.bits + 1)
        return kind.wrap(rng.getrandbits(bits) * rng.choice((1, -1) if kind.signed else (1,)))
    if kind.bits <= 8:
        return rng.choice(_all_of(kind))  # type: ignore[no-any-return]
    if rng.random() < 0.5:
        return kind.nearest(Fraction(rng.choice((rng.randrange(-999, 999), rng.uniform(-9, 9)))))
    data = np.frombuffer(rng.randbytes(kind.bits // 8), kind.storage)
    with np.errstate(all="ignore"):
        return float(data.astype(np.float64)[0])
