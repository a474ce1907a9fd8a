"""Floats of 4, 6 and 8 bits: codes in, exact numbers out, and codes of rounded numbers; and instructions on 8 bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .floats import F32, NAN, Float, Number
from .numbers import Mode, Table


@dataclass(frozen=True, slots=True)
class Narrow:
    """`edge`: `nan` has one NaN at the top and no infinity, `ieee` both, `zero` a NaN for -0, else neither."""

    exponent_bits: int
    mantissa_bits: int
    bias: int
    edge: str = ""

    @property
    def bits(self) -> int:
        return 1 + self.exponent_bits + self.mantissa_bits

    @property
    def sign(self) -> int:
        return 1 << self.bits - 1

    @property
    def top(self) -> int:
        """The largest number's code."""
        everything = self.sign - 1
        return {"nan": everything - 1, "ieee": everything - (1 << self.mantissa_bits)}.get(self.edge, everything)

    @property
    def nan(self) -> int:
        return self.sign if self.edge == "zero" else self.sign - 1

    def number(self, code: int) -> Number | None:
        """None for a NaN; an infinity is left out."""
        body = code & self.sign - 1
        if (self.edge == "zero" and code == self.sign) or (self.edge and self.edge != "zero" and body > self.top):
            return None
        exponent, mantissa = body >> self.mantissa_bits, body & (1 << self.mantissa_bits) - 1
        mantissa += (1 << self.mantissa_bits) if exponent else 0
        return Number(bool(code & self.sign), mantissa, max(exponent, 1) - self.bias - self.mantissa_bits)

    def widened(self, code: int, to: Float) -> Any:
        number = self.number(code)
        if number is None:
            infinite = self.edge == "ieee" and code & self.sign - 1 == self.top + 1
            return (to.infinity | (to.sign if code & self.sign else 0)) if infinite else NAN
        return to.code(number)

    def steps(self, number: Number, towards: int = 0) -> int:
        """The code of a number's size, rounded, as if there were no largest one."""
        if not number.size:
            return 0
        lowest = 1 - self.bias - self.mantissa_bits
        place = max(number.size.bit_length() + number.exponent - 1 - self.mantissa_bits, lowest)
        rounded = Number(False, number.size, number.exponent - place).floored(towards)
        return rounded + ((place - lowest) << self.mantissa_bits)


FP8 = {True: Narrow(4, 3, 8, "zero"), False: Narrow(4, 3, 7, "nan")}
BF8 = {True: Narrow(5, 2, 16, "zero"), False: Narrow(5, 2, 15, "ieee")}
"""True: those of gfx942."""
FP6, BF6, FP4 = Narrow(2, 3, 1), Narrow(3, 2, 3), Narrow(2, 1, 1)


def eight_bits(form: Narrow, source: Float, code: int) -> int:
    """To the nearest, ties to even; what is too large is infinite or a NaN."""
    sign = form.sign if code & source.sign else 0
    nan = form.nan if form.edge == "zero" else sign | form.nan
    if source.is_nan(code):
        return nan
    beyond = sign | form.top + 1 if form.edge == "ieee" else nan
    if source.is_infinite(code):
        return beyond
    body = form.steps(source.number(code))
    if body > form.top:
        return beyond
    return body if not body and form.edge == "zero" else sign | body


def byte(form: dict[bool, Narrow], m: Mode, code: int) -> int:
    return eight_bits(form[m.chip.fnuz], F32, code)


NARROW: Table = {}
for _name, _form in (("fp8", FP8), ("bf8", BF8)):
    NARROW[f"v_cvt_f32_{_name}"] = ("f", "u", lambda m, a, f=_form: f[m.chip.fnuz].widened(a & 0xFF, F32))
    NARROW[f"v_cvt_pk_f32_{_name}"] = (
        "P", "u", lambda m, a, f=_form: [f[m.chip.fnuz].widened(a >> k & 0xFF, F32) for k in (0, 8)],
    )  # fmt: skip
    NARROW[f"v_cvt_pk_{_name}_f32"] = ("w!", "ff", lambda m, a, b, f=_form: byte(f, m, a) | byte(f, m, b) << 8)
