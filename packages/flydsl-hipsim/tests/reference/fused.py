"""Names of fused, legacy and division instructions in, letters of their operands and functions of one lane out.

An O is the destination before, an L a literal, a V the lane's bit of vcc.
"""

from __future__ import annotations

from typing import Any

from .floats import ANY_NAN, F32, NAN, Float
from .numbers import FORMATS, SUFFIX, Mode, Near, Table


def dx9(m: Mode, a: int, b: int, c: int) -> Any:
    """0 times anything is 0, and what is added comes out as it is."""
    if F32.is_zero(a) or F32.is_zero(b):
        return ANY_NAN if F32.is_nan(c) else c
    return F32.fma(a, b, c, m.rounding)


def fixed(form: Float, m: Mode, quotient: int, below: int, above: int) -> Any:
    """The quotient of `above` by `below` with the cases that the approximation has not."""
    negative = form.sign if (below ^ above) & form.sign else 0
    if form.is_nan(above) or form.is_nan(below):
        return NAN
    zeros, infinite = form.is_zero(below), form.is_infinite(below)
    if (zeros and form.is_zero(above)) or (infinite and form.is_infinite(above)):
        return NAN
    if zeros or form.is_infinite(above):
        return negative | form.infinity
    if infinite or form.is_zero(above):
        return negative
    field = (1 << form.exponent_bits) - 1
    exponents = [code >> form.mantissa_bits & field for code in (above, below)]
    if form is F32 and exponents[0] - exponents[1] < -150:
        return Near(0.0, 1)
    if form.exponent_bits == 11 and exponents[0] - exponents[1] < -1075:
        return Near(0.0, 1)
    if form.is_nan(quotient):  # the guides' text gives it back, and then their own steps have no infinite quotient
        return None
    return negative | quotient & ~form.sign


FUSED: Table = {
    "v_fma_dx9_zero_f32": ("f", "fff", dx9),
    "v_fmac_dx9_zero_f32": ("f", "ffO", dx9),
    "v_fma_legacy_f16": ("h", "hhh", lambda m, a, b, c: FORMATS["h"].fma(a, b, c, m.rounding)),
}
for _letter, _form in FORMATS.items():
    _name = SUFFIX[_letter]
    FUSED[f"v_fmac_{_name}"] = (_letter, 2 * _letter + "O", lambda m, a, b, c, f=_form: f.fma(a, b, c, m.rounding))
    FUSED[f"v_div_fixup_{_name}"] = (
        _letter + ("!" if _letter == "h" else ""), 3 * _letter, lambda m, a, b, c, f=_form: fixed(f, m, a, b, c),
    )  # fmt: skip
    if _letter != "d":
        FUSED[f"v_fmaak_{_name}"] = (_letter, 2 * _letter + "L", lambda m, a, b, k, f=_form: f.fma(a, b, k, m.rounding))
        FUSED[f"v_fmamk_{_name}"] = (
            _letter, f"{_letter}L{_letter}", lambda m, a, k, b, f=_form: f.fma(a, k, b, m.rounding),
        )  # fmt: skip


def both_fused(m: Mode, a: int, b: int, c: int) -> list[Any]:
    half = FORMATS["h"]
    return [half.fma(*((v >> k & 0xFFFF) for v in (a, b, c)), m.rounding) for k in (0, 16)]


FUSED["v_pk_fmac_f16"] = ("p", "ppO", both_fused)
