"""Names of vector float instructions in, letters of their operands and functions of one lane out.

Letters: f, d, h floats of 32, 64 and 16 bits, p two halves, P two f32, x f32 or half, and those of integers.
A function gets the mode of its type first, then codes. Results are codes, NAN, or Near for instructions that
are not correctly rounded.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

from .chips import Chip, chip_named
from .floats import BF16, F16, F32, F64, NAN, Float, Number
from .integers import saturated, signed

FORMATS = {"f": F32, "d": F64, "h": F16}
SUFFIX = {"f": "f32", "d": "f64", "h": "f16"}
Table = dict[str, tuple[str, str, Callable[..., object]]]


@dataclass(frozen=True, slots=True)
class Mode:
    """Of one width: rounding; which denormals are kept; signalling NaNs in minima; NaNs clamped to 0."""

    rounding: int = 0
    inputs: bool = True
    results: bool = True
    ieee: bool = True
    clamps_nan: bool = True
    chip: Chip = chip_named("gfx942")


@dataclass(frozen=True, slots=True)
class Near:
    """A number, within so many units of the last place, or so far from it."""

    value: float
    ulps: float
    floor: float = 0.0


def flushed(form: Float, code: object, keeps: bool) -> object:
    return code & form.sign if isinstance(code, int) and not keeps and form.is_denormal(code) else code


def negated(form: Float, code: int) -> int:
    return code ^ form.sign


def integral(form: Float, a: int, towards: int) -> object:
    if form.is_nan(a):
        return NAN
    if form.is_infinite(a):
        return a
    number = form.number(a)
    value = number.floored(towards)
    return form.code(Number(number.negative if not value else value < 0, abs(value), 0))


def fraction(form: Float, mode: Mode, a: int) -> object:
    if form.is_nan(a) or form.is_infinite(a):
        return NAN
    below = integral(form, a, 2)
    part = form.add(a, negated(form, int(str(below))), mode.rounding)
    return min(part, form.one - 1) if isinstance(part, int) and not part & form.sign else part


def scaled(form: Float, mode: Mode, a: int, by: int) -> object:
    if form.is_nan(a):
        return NAN
    if form.is_infinite(a) or form.is_zero(a):
        return a
    number = form.number(a)
    return form.code(Number(number.negative, number.size, number.exponent + saturated(by, -5000, 5000)), mode.rounding)


def mantissa(form: Float, a: int) -> object:
    if form.is_nan(a):
        return NAN
    if form.is_infinite(a) or form.is_zero(a):
        return a
    number = form.number(a)
    return form.code(Number(number.negative, number.size, -number.size.bit_length()))


def exponent(form: Float, a: int) -> int:
    if form.is_nan(a) or form.is_infinite(a) or form.is_zero(a):
        return 0
    number = form.number(a)
    return number.size.bit_length() + number.exponent


def kind(form: Float, a: int) -> int:
    if form.is_nan(a):
        return 0 if form.is_signalling(a) else 1
    place = 0 if form.is_infinite(a) else 3 if form.is_zero(a) else 2 if form.is_denormal(a) else 1
    return 2 + place if a & form.sign else 9 - place


def order(form: Float, a: int, b: int) -> int | None:
    """-1, 0, 1, or None when there is no order."""
    if form.is_nan(a) or form.is_nan(b):
        return None
    if form.is_zero(a) and form.is_zero(b):
        return 0
    return -1 if form.less(a, b) else int(a != b)


COMPARISONS: dict[str, Callable[[int | None], bool]] = {
    "f": lambda o: False,
    "lt": lambda o: o == -1,
    "eq": lambda o: o == 0,
    "le": lambda o: o in (-1, 0),
    "gt": lambda o: o == 1,
    "lg": lambda o: o in (-1, 1),
    "ge": lambda o: o in (0, 1),
    "o": lambda o: o is not None,
    "u": lambda o: o is None,
    "nge": lambda o: o not in (0, 1),
    "nlg": lambda o: o not in (-1, 1),
    "ngt": lambda o: o != 1,
    "nle": lambda o: o not in (-1, 0),
    "neq": lambda o: o != 0,
    "nlt": lambda o: o != -1,
    "tru": lambda o: True,
}


def to_int(form: Float, a: int, low: int, high: int, towards: int = 3) -> int:
    if form.is_nan(a):
        return 0
    if form.is_infinite(a):
        return low if a & form.sign else high
    return saturated(form.number(a).floored(towards), low, high)


def from_int(form: Float, mode: Mode, value: int) -> object:
    return form.code(Number(value < 0, abs(value), 0), mode.rounding)


def as_float(code: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", code))[0])


def near(function: Callable[[float], float]) -> Callable[[Mode, int], object]:
    def lane(_: Mode, a: int) -> object:
        x = as_float(a)
        if math.isnan(x):
            return NAN
        try:
            return Near(function(x), 4)
        except ZeroDivisionError:
            return F32.infinity | a & F32.sign
        except ValueError:
            return NAN
        except OverflowError:
            return F32.infinity

    return lane


def logarithm(x: float) -> float:
    return -math.inf if x == 0 else math.log2(x)


FLOATS: Table = {
    "v_cvt_f32_i32": ("f", "u", lambda m, a: from_int(F32, m, signed(a, 32))),
    "v_cvt_f32_u32": ("f", "u", lambda m, a: from_int(F32, m, a)),
    "v_cvt_f64_i32": ("d", "u", lambda m, a: from_int(F64, m, signed(a, 32))),
    "v_cvt_f64_u32": ("d", "u", lambda m, a: from_int(F64, m, a)),
    "v_cvt_i32_f32": ("u", "f", lambda m, a: to_int(F32, a, -1 << 31, (1 << 31) - 1)),
    "v_cvt_u32_f32": ("u", "f", lambda m, a: to_int(F32, a, 0, (1 << 32) - 1)),
    "v_cvt_i32_f64": ("u", "d", lambda m, a: to_int(F64, a, -1 << 31, (1 << 31) - 1)),
    "v_cvt_u32_f64": ("u", "d", lambda m, a: to_int(F64, a, 0, (1 << 32) - 1)),
    "v_cvt_flr_i32_f32": ("u", "f", lambda m, a: to_int(F32, a, -1 << 31, (1 << 31) - 1, 2)),
    "v_cvt_i16_f16": ("w", "h", lambda m, a: to_int(F16, a, -32768, 32767)),
    "v_cvt_u16_f16": ("w", "h", lambda m, a: to_int(F16, a, 0, 65535)),
    "v_cvt_f16_i16": ("h", "w", lambda m, a: from_int(F16, m, signed(a, 16))),
    "v_cvt_f16_u16": ("h", "w", lambda m, a: from_int(F16, m, a)),
    "v_cvt_f32_f64": ("f", "d", lambda m, a: F64.converted(a, F32, m.rounding)),
    "v_cvt_f64_f32": ("d", "f", lambda m, a: F32.converted(a, F64)),
    "v_cvt_f32_f16": ("f", "h", lambda m, a: F16.converted(a, F32)),
    "v_cvt_f16_f32": ("h", "f", lambda m, a: F32.converted(a, F16, m.rounding)),
    "v_cvt_pkrtz_f16_f32": ("p", "ff", lambda m, *v: [F32.converted(a, F16, 3) for a in v]),
    "v_cvt_off_f32_i4": ("f", "u", lambda m, a: F32.code(Number(a >> 3 & 1 == 1, abs(signed(a, 4)), -4))),
    "v_ldexp_f32": ("f", "fu", lambda m, a, b: scaled(F32, m, a, signed(b, 32))),
    "v_ldexp_f64": ("d", "du", lambda m, a, b: scaled(F64, m, a, signed(b, 32))),
    "v_ldexp_f16": ("h", "hw", lambda m, a, b: scaled(F16, m, a, signed(b, 16))),
    "v_frexp_exp_i32_f32": ("u", "f", lambda m, a: exponent(F32, a)),
    "v_frexp_exp_i32_f64": ("u", "d", lambda m, a: exponent(F64, a)),
    "v_frexp_exp_i16_f16": ("w", "h", lambda m, a: exponent(F16, a)),
    "v_sub_f32": ("f", "ff", lambda m, a, b: F32.add(a, negated(F32, b), m.rounding)),
    "v_subrev_f32": ("f", "ff", lambda m, a, b: F32.add(b, negated(F32, a), m.rounding)),
    "v_sub_f16": ("h", "hh", lambda m, a, b: F16.add(a, negated(F16, b), m.rounding)),
    "v_subrev_f16": ("h", "hh", lambda m, a, b: F16.add(b, negated(F16, a), m.rounding)),
    "v_mul_legacy_f32": (
        "f",
        "ff",
        lambda m, a, b: 0 if F32.is_zero(a) or F32.is_zero(b) else F32.mul(a, b, m.rounding),
    ),
    "v_rcp_f32": ("f", "f", near(lambda x: 1 / x)),
    "v_rsq_f32": ("f", "f", near(lambda x: 1 / math.sqrt(x))),
    "v_sqrt_f32": ("f", "f", near(math.sqrt)),
    "v_exp_f32": ("f", "f", near(math.exp2)),
    "v_log_f32": ("f", "f", near(logarithm)),
    "v_cvt_pk_bf16_f32": ("p", "ff", lambda m, *v: [F32.converted(a, BF16) for a in v]),
}


def norm(form: Float, a: int, low: int, high: int) -> int:
    """-1 to 1, or 0 to 1, as integers; to the nearest, ties to even."""
    if form.is_nan(a):
        return 0
    if form.is_infinite(a):
        return low if a & form.sign else high
    number = form.number(a)
    return saturated(Number(number.negative, number.size * high, number.exponent).floored(0), low, high)


def rounded_up(code: object) -> int:
    return to_int(F32, code, -1 << 31, (1 << 31) - 1, 2) if isinstance(code, int) else 0


def pair(low: int, high: int) -> int:
    return low & 0xFFFF | (high & 0xFFFF) << 16


def byte_of(m: Mode, a: int, place: int, others: int) -> int:
    """CLRX's description of v_cvt_pk_u8_f32: rounded as MODE says."""
    shift = 8 * (place & 3)
    return others & ~(0xFF << shift) | to_int(F32, a, 0, 255, m.rounding) << shift


FLOATS |= {
    "v_cvt_rpi_i32_f32": (
        "u", "f", lambda m, a: rounded_up(F32.add(a, 0x3F000000, m.rounding)),
    ),
    "v_cvt_pk_i16_f32": ("u", "ff", lambda m, *v: pair(*(to_int(F32, a, -32768, 32767) for a in v))),
    "v_cvt_pk_u16_f32": ("u", "ff", lambda m, *v: pair(*(to_int(F32, a, 0, 65535) for a in v))),
    "v_cvt_pk_u8_f32": ("u", "fuu", byte_of),
    "v_cvt_norm_i16_f16": ("w", "h", lambda m, a: norm(F16, a, -32767, 32767)),
    "v_cvt_norm_u16_f16": ("w", "h", lambda m, a: norm(F16, a, 0, 65535)),
    "v_cvt_pknorm_i16_f16": ("u", "hh", lambda m, *v: pair(*(norm(F16, a, -32767, 32767) for a in v))),
    "v_cvt_pknorm_u16_f16": ("u", "hh", lambda m, *v: pair(*(norm(F16, a, 0, 65535) for a in v))),
    "v_cvt_pknorm_i16_f32": ("u", "ff", lambda m, *v: pair(*(norm(F32, a, -32767, 32767) for a in v))),
    "v_cvt_pknorm_u16_f32": ("u", "ff", lambda m, *v: pair(*(norm(F32, a, 0, 65535) for a in v))),
    "v_cvt_pk_f16_f32": ("p", "ff", lambda m, *v: [F32.converted(a, F16, m.rounding) for a in v]),
    "v_cvt_f32_bf16": ("f", "w", lambda m, a: BF16.converted(a, F32)),
}  # fmt: skip
for k in range(4):
    FLOATS[f"v_cvt_f32_ubyte{k}"] = ("f", "u", lambda m, a, k=k: from_int(F32, m, a >> 8 * k & 255))


def add_widths(name: str, letters: str, function: Callable[..., object], widths: str = "fdh", suffix: str = "") -> None:
    for letter in widths:
        result = letter + ("!" if letter == "h" and suffix else "")
        form = FORMATS[letter]
        FLOATS[f"v_{name}_{SUFFIX[letter]}"] = (result, letter * len(letters), lambda m, *v, f=form: function(f, m, *v))


add_widths("add", "ab", lambda f, m, a, b: f.add(a, b, m.rounding))
add_widths("mul", "ab", lambda f, m, a, b: f.mul(a, b, m.rounding))
add_widths("fma", "abc", lambda f, m, a, b, c: f.fma(a, b, c, m.rounding), suffix="!")
for name, towards in (("floor", 2), ("ceil", 1), ("trunc", 3), ("rndne", 0)):
    add_widths(name, "a", lambda f, m, a, t=towards: integral(f, a, t))
add_widths("fract", "a", fraction)
add_widths("frexp_mant", "a", lambda f, m, a: mantissa(f, a))
for letter, form in FORMATS.items():
    for word, holds in COMPARISONS.items():
        FLOATS[f"v_cmp_{word}_{SUFFIX[letter]}"] = ("M", letter * 2, lambda m, a, b, f=form, h=holds: h(order(f, a, b)))
    FLOATS[f"v_cmp_class_{SUFFIX[letter]}"] = ("M", letter + "u", lambda m, a, b, f=form: bool(b >> kind(f, a) & 1))

for name, halves in {
    "add": lambda m, a, b: F16.add(a, b, m.rounding),
    "mul": lambda m, a, b: F16.mul(a, b, m.rounding),
    "fma": lambda m, a, b, c: F16.fma(a, b, c, m.rounding),
}.items():
    FLOATS[f"v_pk_{name}_f16"] = (
        "p",
        "ppp" if name == "fma" else "pp",
        lambda m, *v, h=halves: [h(m, *(x & 0xFFFF for x in v)), h(m, *(x >> 16 for x in v))],
    )
for name, words in {
    "add": lambda m, a, b: F32.add(a, b, m.rounding),
    "mul": lambda m, a, b: F32.mul(a, b, m.rounding),
    "fma": lambda m, a, b, c: F32.fma(a, b, c, m.rounding),
}.items():
    FLOATS[f"v_pk_{name}_f32"] = (
        "P",
        "PPP" if name == "fma" else "PP",
        lambda m, *v, h=words: [h(m, *(x & 0xFFFFFFFF for x in v)), h(m, *(x >> 32 for x in v))],
    )
for name, result in (("mix_f32", "f"), ("mixlo_f16", "h!"), ("mixhi_f16", "h^")):
    FLOATS[f"v_fma_{name}"] = (result, "xxx", lambda m, a, b, c: F32.fma(a, b, c, m.rounding))
