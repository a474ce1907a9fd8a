"""The pass `cpu-exponentials{scale=true}`: `exp` and `exp2` of f32, f16 and bf16 in as few instructions as a CPU needs.

The general expansions care for what all targets have. Here the argument is rounded by adding a large number, whose low
bits are then the power of two; minima and maxima that let NaN pass stand for the check at the end; and where the target
has an instruction for it (`scale`), the power of two is applied by that. The instruction takes any power, so that small
arguments, the results of which are 0 in any case, need not be limited first.

The polynomials have the least relative error on the reduced range, 3e-9 and 2e-9, among those of degree 6 that give 1
at 0 (and e ** x a slope of 1): found by linear programming on 4,001 Chebyshev points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp, VectorType
from xdsl.passes import ModulePass

from flydsl.backend.math import F32, I32, LN2_HIGH, LN2_LOW, LOG2_E, expand, scaled, select
from flydsl.backend.rewriting import operations
from flydsl_cpu.dialect import LDEXP

_EXP = (1.38139033768e-3, 8.36881214618e-3, 4.166840900712e-2, 1.6666519806532e-1, 4.9999993323383e-1, 1.0, 1.0)
_EXP2 = (
    *(1.5351827819933e-4, 1.3398891867562e-3, 9.6184445804679e-3, 5.5503324889318e-2),
    *(2.40226478312864e-1, 6.93147202746282e-1, 1.0),
)
_ROUNDER, _ROUNDER_BITS = 12582912.0, 0x4B400000
"""1.5 * 2 ** 23: floats of this size are the integers, one apart and so are their bits."""

Apply = Callable[[F32, I32], F32]
"""x, n to x * 2 ** n, where x is a normal number and n between -151 and 129; or x is 0 and n any power."""


@dataclass(frozen=True)
class CpuExponentials(ModulePass):
    """Expands `math.exp` and `math.exp2`; f64 is left to the library."""

    name: ClassVar[str] = "cpu-exponentials"
    scale: str = "false"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand them everywhere in `op`."""
        apply = _by_instruction if self.scale == "true" else scaled
        functions = {"math.exp": partial(exp, apply=apply), "math.exp2": partial(exp2, apply=apply)}
        for found in operations(op, functions):
            type_ = found.results[0].type
            element = type_.element_type if isinstance(type_, VectorType) else type_
            if isinstance(element, Float32Type | Float16Type | BFloat16Type):
                expand(found, functions[found.name])


def exp(x: F32, apply: Apply) -> F32:
    """e ** x."""
    y = _limited(x, -104.0, 90.0, apply)
    power = (y * LOG2_E + _ROUNDER).as_i32() - _ROUNDER_BITS
    n = power.to_f32()
    r = y - n * LN2_HIGH - n * LN2_LOW
    return apply(_unless_zero(x, -104.0, r.polynomial(_EXP)), power)


def exp2(x: F32, apply: Apply) -> F32:
    """2 ** x."""
    y = _limited(x, -151.0, 129.0, apply)
    power = (y + _ROUNDER).as_i32() - _ROUNDER_BITS
    return apply(_unless_zero(x, -151.0, (y - power.to_f32()).polynomial(_EXP2)), power)


def _limited(x: F32, low: float, high: float, apply: Apply) -> F32:
    """`x` where the power of two has to make sense; NaN stays NaN."""
    if apply is _by_instruction:
        return select(x.compare(">", high), x.constant(high), x)
    return x.limited(low, high)


def _unless_zero(x: F32, low: float, value: F32) -> F32:
    """`value`, or 0 for an argument whose power is nothing: rounding a number down to it would take 100 cycles."""
    return select(x.compare("<", low), value.constant(0.0), value)


def _by_instruction(x: F32, power: I32) -> F32:
    return F32(x.build, x.build.value(LDEXP, (x.value, power.value), x.value.type))
