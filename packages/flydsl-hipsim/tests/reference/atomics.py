"""The last words of an atomic instruction's name in, its operand's size and function of memory's value and data out.

Lanes act in their order, which hardware does not promise.
"""

from __future__ import annotations

from collections.abc import Callable

from .floats import BF16, F16, F32, F64, Float
from .integers import signed

Function = Callable[..., int]
FLOAT_KINDS = ("f32", "f64", "pk_add_f16", "pk_add_bf16")
"""Of numbers; the generator gives them finite ones."""

INTEGERS: dict[str, Function] = {
    "add_u": lambda m, d: m + d,
    "sub_u": lambda m, d: m - d,
    "rsub_u": lambda m, d: d - m,
    "and_b": lambda m, d: m & d,
    "or_b": lambda m, d: m | d,
    "xor_b": lambda m, d: m ^ d,
    "inc_u": lambda m, d: 0 if m >= d else m + 1,
    "dec_u": lambda m, d: d if m == 0 or m > d else m - 1,
    "min_u": min,
    "max_u": max,
    "swap_b": lambda m, d: d,
    "wrxchg_b": lambda m, d: d,
    "storexchg_b": lambda m, d: d,
    "cmpst_b": lambda m, compared, new: new if m == compared else m,
    "cmpstore_b": lambda m, new, compared: new if m == compared else m,
    "cmpswap_b": lambda m, new, compared: new if m == compared else m,
    "mskor_b": lambda m, d, new: m & ~d | new,
    "cond_sub_u": lambda m, d: m - d if m >= d else m,
    "sub_clamp_u": lambda m, d: m - d if m >= d else 0,
    "csub_u": lambda m, d: m - d if m >= d else 0,
}
FORMS = {"f32": F32, "f64": F64, "f16": F16, "bf16": BF16}


def added(form: Float) -> Function:
    return lambda m, d: int(form.add(m, d))


def chosen(form: Float, largest: bool) -> Function:
    """Of numbers: -0 is below +0."""
    return lambda m, d: m if form.less(m, d) != largest or m == d else d


def both(form: Float) -> Function:
    return lambda m, d: int(form.add(m & 0xFFFF, d & 0xFFFF)) | int(form.add(m >> 16, d >> 16)) << 16


def compared_floats(form: Float) -> Function:
    """ds_cmpst_f32: equal numbers, so both zeros are the same."""
    return lambda m, against, new: new if m == against or (form.is_zero(m) and form.is_zero(against)) else m


ATOMICS: dict[str, tuple[int, Function]] = {}
for _bits in (32, 64):
    for _name, _function in INTEGERS.items():
        ATOMICS[f"{_name}{_bits}"] = (_bits // 8, _function)
    for _word, _choice in (("min_i", min), ("max_i", max)):
        ATOMICS[f"{_word}{_bits}"] = (
            _bits // 8,
            lambda m, d, n=_bits, f=_choice: f(signed(m, n), signed(d, n)),
        )
    _form = FORMS[f"f{_bits}"]
    ATOMICS[f"add_f{_bits}"] = (_bits // 8, added(_form))
    ATOMICS[f"cmpst_f{_bits}"] = (_bits // 8, compared_floats(_form))
    for _word in ("min_f", "max_f", "min_num_f", "max_num_f"):
        ATOMICS[f"{_word}{_bits}"] = (_bits // 8, chosen(_form, "max" in _word))
ATOMICS["pk_add_f16"] = (4, both(F16))
ATOMICS["pk_add_bf16"] = (4, both(BF16))
ATOMICS["wrap_b32"] = (4, lambda m, d, e: m - d if m >= d else m + e)
_GFX9 = {
    "smin": "min_i", "smax": "max_i", "umin": "min_u", "umax": "max_u", "swap": "swap_b", "cmpswap": "cmpswap_b",
    "add": "add_u", "sub": "sub_u", "and": "and_b", "or": "or_b", "xor": "xor_b", "inc": "inc_u", "dec": "dec_u",
}  # fmt: skip
for _old, _new in _GFX9.items():
    ATOMICS[_old], ATOMICS[f"{_old}_x2"] = ATOMICS[f"{_new}32"], ATOMICS[f"{_new}64"]
