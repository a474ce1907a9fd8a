"""Bit formats of floats: their fields and limits, and the rounding of numbers to them.

The narrow formats are those of the OCP specifications (8-bit floating point, revision 1.0; microscaling formats,
version 1.0) and of the MLIR types of the same names, with the results of the NumPy types of ml_dtypes.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class FloatFormat(NamedTuple):
    """Widths of the fields and the exponent's bias; `largest`, `overflow` and `nan` are bits without the sign.

    `largest` is the greatest finite magnitude, `overflow` what stands for more, `nan` None where there is no NaN.
    A named tuple, since `flydsl.expr` waits for this module: a data class takes longer to make.
    """

    exponent: int
    mantissa: int
    bias: int
    largest: int
    overflow: int
    nan: int | None
    has_infinity: bool = False
    negative_zero: bool = True

    @property
    def sign_bit(self) -> int:
        """Position of the sign."""
        return self.exponent + self.mantissa

    @property
    def precision(self) -> int:
        """Bits of a significand, the leading one included."""
        return self.mantissa + 1

    @property
    def least_exponent(self) -> int:
        """Exponent of the smallest normal number."""
        return 1 - self.bias

    @property
    def largest_value(self) -> float:
        """The greatest finite number."""
        return self.decode(self.largest)

    def holds(self, other: FloatFormat) -> bool:
        """Whether every number of the other format is one of this."""
        return (
            self.mantissa >= other.mantissa
            and self.least_exponent - self.mantissa <= other.least_exponent - other.mantissa
            and self.largest_value >= other.largest_value
            and (self.has_infinity or not other.has_infinity)
            and (self.nan is not None or other.nan is None)
            and (self.negative_zero or not other.negative_zero)
        )

    def encode(self, value: float) -> int:
        """The bits of the nearest number, ties to even; without a NaN, zero of the opposite sign stands for it."""
        negative = int(math.copysign(1, value) < 0) << self.sign_bit
        if math.isnan(value):
            if self.nan is None:
                return negative ^ 1 << self.sign_bit
            return self.nan | (negative if self.negative_zero else 0)
        magnitude = abs(value)
        least = self.least_exponent
        if math.isinf(magnitude):
            return self.overflow | (negative if self.negative_zero else 0)
        exponent = max(math.frexp(magnitude)[1] - 1, least) if magnitude else least
        count = round(math.ldexp(magnitude, self.mantissa - exponent))  # Python rounds to even
        # a carry goes into the exponent, a subnormal number has none
        bits = count + ((exponent - least) << self.mantissa)
        if bits > self.largest:
            return self.overflow | (negative if self.negative_zero else 0)
        return bits | negative if bits or self.negative_zero else 0

    def decode(self, bits: int) -> float:
        """The number that the bits stand for."""
        magnitude = bits & ((1 << self.sign_bit) - 1)
        sign = -1.0 if bits >> self.sign_bit & 1 else 1.0
        if self.has_infinity and magnitude >= self.overflow:
            return math.copysign(math.inf if magnitude == self.overflow else math.nan, sign)
        if self.nan is not None and (magnitude == self.nan or (not self.negative_zero and bits == self.nan)):
            return math.nan
        exponent, mantissa = magnitude >> self.mantissa, magnitude & ((1 << self.mantissa) - 1)
        if exponent:
            mantissa |= 1 << self.mantissa
        return math.copysign(math.ldexp(mantissa, max(exponent, 1) - self.bias - self.mantissa), sign)


FLOAT_FORMATS = {
    "f64": FloatFormat(11, 52, 1023, 0x7FEF << 48 | (1 << 48) - 1, 0x7FF0 << 48, 0x7FF8 << 48, has_infinity=True),
    "f32": FloatFormat(8, 23, 127, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, has_infinity=True),
    "f16": FloatFormat(5, 10, 15, 0x7BFF, 0x7C00, 0x7E00, has_infinity=True),
    "bf16": FloatFormat(8, 7, 127, 0x7F7F, 0x7F80, 0x7FC0, has_infinity=True),
    "f8E5M2": FloatFormat(5, 2, 15, 0x7B, 0x7C, 0x7E, has_infinity=True),
    "f8E4M3": FloatFormat(4, 3, 7, 0x77, 0x78, 0x7C, has_infinity=True),
    "f8E3M4": FloatFormat(3, 4, 3, 0x6F, 0x70, 0x78, has_infinity=True),
    "f8E4M3FN": FloatFormat(4, 3, 7, 0x7E, 0x7F, 0x7F),
    "f8E4M3FNUZ": FloatFormat(4, 3, 8, 0x7F, 0x80, 0x80, negative_zero=False),
    "f8E4M3B11FNUZ": FloatFormat(4, 3, 11, 0x7F, 0x80, 0x80, negative_zero=False),
    "f8E5M2FNUZ": FloatFormat(5, 2, 16, 0x7F, 0x80, 0x80, negative_zero=False),
    "f6E3M2FN": FloatFormat(3, 2, 3, 0x1F, 0x1F, None),
    "f6E2M3FN": FloatFormat(2, 3, 1, 0x1F, 0x1F, None),
    "f4E2M1FN": FloatFormat(2, 1, 1, 0x7, 0x7, None),
}
"""Formats by the name of their MLIR type; `f8E8M0FNU` is a power of two and has no such fields."""

EXPONENT_ONLY = "f8E8M0FNU"


def exponent_bits(value: float) -> int:
    """The bits of the power of two nearest to a positive number, ties up, and those of NaN for what is none."""
    if not 0 < value < math.inf:
        return 255
    mantissa, exponent = math.frexp(value)
    return min(max(exponent + 126 + (mantissa >= 0.75), 0), 255)


def exponent_value(bits: int) -> float:
    """The power of two that the bits stand for."""
    return math.nan if bits == 255 else math.ldexp(1.0, bits - 127)
