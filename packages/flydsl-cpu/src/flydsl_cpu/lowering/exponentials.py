"""The pass `cpu-exponentials{scale=true}`: `exp` and `exp2` of f32, f16 and bf16 in as few instructions as a CPU needs.

The general expansions care for what all targets have. Here the argument is rounded by adding a large number, whose low
bits are then the power of two; minima and maxima that let NaN pass stand for the check at the end; and where the target
has an instruction for it (`scale`), the power of two is applied by that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp, VectorType
from xdsl.passes import ModulePass

from flydsl.passes.expand_math import expand
from flydsl.passes.math.exponential import EXP, EXP2, LN2_HIGH, LN2_LOW, LOG2_E, scaled
from flydsl.passes.math.expression import F32, I32, select
from flydsl.passes.rewriting import walk
from flydsl.passes.to_llvm.builder import raw_operation

LDEXP = raw_operation("llvm.intr.ldexp")
"""x * 2 ** n, lane by lane, vectors included: MLIR's operation takes scalar powers only."""

_ROUNDER, _ROUNDER_BITS = 12582912.0, 0x4B400000
"""1.5 * 2 ** 23: floats of this size are the integers, one apart and so are their bits."""

Apply = Callable[[F32, I32], F32]
"""x, n to x * 2 ** n, where x is a normal number and n between -151 and 129."""


@dataclass(frozen=True)
class CpuExponentials(ModulePass):
    """Expands `math.exp` and `math.exp2`; f64 is left to the library."""

    name: ClassVar[str] = "cpu-exponentials"
    scale: str = "false"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand them everywhere in `op`."""
        apply = _by_instruction if self.scale == "true" else scaled
        functions = {"math.exp": lambda x: exp(x, apply), "math.exp2": lambda x: exp2(x, apply)}
        for found in [inner for inner in walk(op) if inner.name in functions]:
            type_ = found.results[0].type
            element = type_.element_type if isinstance(type_, VectorType) else type_
            if isinstance(element, Float32Type | Float16Type | BFloat16Type):
                expand(found, functions[found.name])


def exp(x: F32, apply: Apply) -> F32:
    """e ** x."""
    y = x.limited(-104.0, 90.0)
    power = (y * LOG2_E + _ROUNDER).as_i32() - _ROUNDER_BITS
    n = power.to_f32()
    r = y - n * LN2_HIGH - n * LN2_LOW
    return apply(_unless_zero(x, -104.0, r.polynomial((*EXP, 1.0, 1.0))), power)


def exp2(x: F32, apply: Apply) -> F32:
    """2 ** x."""
    y = x.limited(-151.0, 129.0)
    power = (y + _ROUNDER).as_i32() - _ROUNDER_BITS
    return apply(_unless_zero(x, -151.0, (y - power.to_f32()).polynomial(EXP2)), power)


def _unless_zero(x: F32, low: float, value: F32) -> F32:
    """`value`, or 0 for an argument whose power is nothing: rounding a number down to it would take 100 cycles."""
    return select(x.compare("<", low), value.constant(0.0), value)


def _by_instruction(x: F32, power: I32) -> F32:
    return F32(x.build, x.build.value(LDEXP, (x.value, power.value), x.value.type))
