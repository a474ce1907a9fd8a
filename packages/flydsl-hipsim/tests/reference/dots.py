"""Names of dot products of floats in, letters of their operands and functions of one lane out.

The documents do not say in which order, or how often, sums are rounded: results are near the exact ones.
"""

from __future__ import annotations

import math
from typing import Any

from .floats import BF16, F16, F32, Float
from .numbers import Mode, Near, Table
from .rough import value_of


def summed(a: int, b: int, c: float, form: Float, bits: int, floor: float) -> Any:
    parts = [[value_of(form, v >> k & (1 << bits) - 1) for k in range(0, 32, bits)] for v in (a, b)]
    products = [x * y for x, y in zip(*parts, strict=True)]
    if not all(abs(x) < 2.0**127 for x in [*products, c]):  # a sum on the way may be infinite
        return None
    exact = math.fsum([*products, c])
    return Near(exact, 1, floor * max(map(abs, [*products, c])))


def in_f32(m: Mode, a: int, b: int, c: int, form: Float) -> Any:
    return summed(a, b, value_of(F32, c), form, 16, 2.0**-22)


def in_f16(m: Mode, a: int, b: int, c: int) -> Any:
    return summed(a, b, value_of(F16, c), F16, 16, 2.0**-9)


DOTS: Table = {
    "v_dot2_f32_f16": ("f", "iif", lambda m, a, b, c: in_f32(m, a, b, c, F16)),
    "v_dot2_f32_bf16": ("f", "iif", lambda m, a, b, c: in_f32(m, a, b, c, BF16)),
    "v_dot2c_f32_f16": ("f", "iiO", lambda m, a, b, c: in_f32(m, a, b, c, F16)),
    "v_dot2c_f32_bf16": ("f", "iiO", lambda m, a, b, c: in_f32(m, a, b, c, BF16)),
    "v_dot2_f16_f16": ("h", "iih", in_f16),
}
