"""Codes of binary floats in, correctly rounded codes out, by exact integers.

NAN stands for any quiet NaN, ANY_NAN for a signalling one as well.
"""

from __future__ import annotations

from dataclasses import dataclass

NAN, ANY_NAN = "any quiet NaN", "any NaN"
Code = int | str
NEAREST, UP, DOWN, ZERO = range(4)


@dataclass(frozen=True, slots=True)
class Number:
    """(-1)**negative * size * 2**exponent."""

    negative: bool
    size: int
    exponent: int

    def compared(self, other: Number) -> int:
        """Below, at or above 0; both zeros are equal."""
        low = min(self.exponent, other.exponent)
        a, b = (-n.size if n.negative else n.size for n in (self, other))
        a, b = a << self.exponent - low, b << other.exponent - low
        return (a > b) - (a < b)

    def floored(self, mode: int) -> int:
        """An integer: NEAREST ties to even, UP, DOWN or to ZERO."""
        value = -self.size if self.negative else self.size
        if self.exponent >= 0:
            return value << self.exponent
        below = value >> -self.exponent
        rest = value - (below << -self.exponent)
        if not rest or mode == DOWN:
            return below
        if mode == NEAREST:
            half = 1 << -self.exponent - 1
            return below + (rest > half or (rest == half and below & 1))
        return below + 1 if mode == UP or value < 0 else below


@dataclass(frozen=True, slots=True)
class Float:
    """A format: widths of exponent and mantissa."""

    exponent_bits: int
    mantissa_bits: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def sign(self) -> int:
        return 1 << self.bits - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.mantissa_bits

    @property
    def lowest(self) -> int:
        """The exponent of a denormal's last bit."""
        return 2 - (1 << self.exponent_bits - 1) - self.mantissa_bits

    def is_nan(self, code: int) -> bool:
        return code & ~self.sign > self.infinity

    def is_signalling(self, code: int) -> bool:
        return self.is_nan(code) and not code >> self.mantissa_bits - 1 & 1

    def is_infinite(self, code: int) -> bool:
        return code & ~self.sign == self.infinity

    def is_denormal(self, code: int) -> bool:
        return 0 < code & ~self.sign < 1 << self.mantissa_bits

    def is_zero(self, code: int) -> bool:
        return code & ~self.sign == 0

    def number(self, code: int) -> Number:
        """Of a finite code."""
        body = code & ~self.sign
        exponent, mantissa = body >> self.mantissa_bits, body & (1 << self.mantissa_bits) - 1
        if exponent:
            mantissa += 1 << self.mantissa_bits
        return Number(bool(code & self.sign), mantissa, self.lowest + max(exponent, 1) - 1)

    def code(self, number: Number, mode: int = NEAREST) -> int:
        """The code of a number, rounded once; too large ones become infinite or the largest number, by the mode."""
        sign = self.sign if number.negative else 0
        if not number.size:
            return sign
        place = max(number.size.bit_length() + number.exponent - 1 - self.mantissa_bits, self.lowest)
        towards = {UP: DOWN, DOWN: UP}.get(mode, mode) if number.negative else mode
        steps = Number(False, number.size, number.exponent - place).floored(towards)
        if steps >> self.mantissa_bits + 1:
            steps, place = steps >> 1, place + 1
        body = steps + ((place - self.lowest) << self.mantissa_bits)
        if body >= self.infinity:
            return sign | (self.infinity if towards in (NEAREST, UP) else self.infinity - 1)
        return sign | body

    def quiet(self, code: int) -> int:
        return code | 1 << self.mantissa_bits - 1

    def add(self, a: int, b: int, mode: int = NEAREST) -> Code:
        return self.fma(a, self.one, b, mode)

    @property
    def one(self) -> int:
        return ((1 << self.exponent_bits - 1) - 1) << self.mantissa_bits

    def fma(self, a: int, b: int, c: int, mode: int = NEAREST) -> Code:
        """a * b + c, rounded once."""
        if self.is_nan(a) or self.is_nan(b) or self.is_nan(c):
            return NAN
        negative = bool((a ^ b) & self.sign)
        if self.is_infinite(a) or self.is_infinite(b):
            if self.is_zero(a) or self.is_zero(b) or (self.is_infinite(c) and bool(c & self.sign) != negative):
                return NAN
            return self.infinity | (self.sign if negative else 0)
        if self.is_infinite(c):
            return c
        x, y, z = self.number(a), self.number(b), self.number(c)
        return self.code(total(Number(negative, x.size * y.size, x.exponent + y.exponent), z, mode), mode)

    def mul(self, a: int, b: int, mode: int = NEAREST) -> Code:
        if self.is_nan(a) or self.is_nan(b):
            return NAN
        negative = bool((a ^ b) & self.sign)
        if self.is_infinite(a) or self.is_infinite(b):
            return NAN if self.is_zero(a) or self.is_zero(b) else self.infinity | (self.sign if negative else 0)
        x, y = self.number(a), self.number(b)
        return self.code(Number(negative, x.size * y.size, x.exponent + y.exponent), mode)

    def less(self, a: int, b: int) -> bool:
        """The order of numbers, -0 below +0."""
        x, y = (-(v & ~self.sign) - 1 if v & self.sign else v for v in (a, b))
        return x < y

    def converted(self, code: int, to: Float, mode: int = NEAREST) -> Code:
        if self.is_nan(code):
            return NAN
        if self.is_infinite(code):
            return to.infinity | (to.sign if code & self.sign else 0)
        return to.code(self.number(code), mode)


def total(x: Number, y: Number, mode: int) -> Number:
    """The exact sum; a zero is negative when both are, or when rounding down."""
    low = min(x.exponent, y.exponent)
    a, b = (-n.size if n.negative else n.size for n in (x, y))
    value = (a << x.exponent - low) + (b << y.exponent - low)
    if not value:
        both_zero = not x.size and not y.size
        same = x.negative == y.negative
        return Number(x.negative if both_zero and same else mode == DOWN, 0, low)
    return Number(value < 0, abs(value), low)


F16, F32, F64, BF16 = Float(5, 10), Float(8, 23), Float(11, 52), Float(8, 7)
