"""The pass `expand-math{functions=exp,tanh}`: elementary functions on f32, f16 and bf16, and integer powers, as
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    IntegerType,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import SettingError
from flydsl.ir.location import get_location, located_error
from flydsl.ir.math_functions import EXACT, MATH_FUNCTIONS
from flydsl.passes.math.expression import F32, F64, I32
from flydsl.passes.math.functions import FUNCTIONS, SCALAR_FUNCTIONS, WIDE_FUNCTIONS
from flydsl.passes.math.powers import ipowi
from flydsl.passes.rewriting import operations, replace
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.lanes import each_lane, lane_type

_FLOAT_POWER, _INTEGER_POWER = "math.fpowi", "math.ipowi"


def expansions() -> list[str]:
    """Names of all functions that `functions` of `ExpandMath` may hold."""
    return sorted(name.removeprefix("math.") for name in (*FUNCTIONS, *SCALAR_FUNCTIONS, _INTEGER_POWER))


@dataclass(frozen=True)
class ExpandMath(ModulePass):
    """Replaces the named functions (by default all that do not branch); f64 is left to a library."""

    name: ClassVar[str] = "expand-math"
    functions: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand them everywhere in `op`."""
        names = {f"math.{name}" for name in self.functions.split(",") if name} or {*FUNCTIONS, _INTEGER_POWER}
        known = {*FUNCTIONS, *SCALAR_FUNCTIONS, _INTEGER_POWER}
        if unknown := names - known:
            raise SettingError(f"no expansion of {sorted(unknown)}; known: {', '.join(sorted(known))}")
        _check(op)
        for found in operations(op, names):
            element = lane_type(found.results[0].type)
            if isinstance(element, Float32Type | Float16Type | BFloat16Type):
                _expand(found)
            elif isinstance(element, IntegerType):
                build = LLVMBuilder.before_op(found)
                replace(found, [ipowi(build, found.operands[0], found.operands[1], element.width.data)])
            elif found.name == _FLOAT_POWER:
                _power_by_library(found)
            elif found.name in WIDE_FUNCTIONS:
                build = LLVMBuilder.before_op(found)
                replace(found, [WIDE_FUNCTIONS[found.name](F64(build, found.operands[0])).value])


def _check(module: ModuleOp) -> None:
    """Refuse what no target can make code of."""
    for op in operations(module):
        if not op.name.startswith("math."):
            continue
        name = op.name.removeprefix("math.")
        function = MATH_FUNCTIONS.get(name)
        if name not in EXACT and (function is None or not function.expansion):
            raise located_error(
                f"there is no {op.name} on {op.results[0].type}: targets have no instruction for it, and there is no "
                "expansion; compute it from other functions",
                get_location(op),
            )


def _expand(op: Operation) -> None:
    if op.name in FUNCTIONS:
        expand(op, FUNCTIONS[op.name])
        return
    build, function, type_ = LLVMBuilder.before_op(op), SCALAR_FUNCTIONS[op.name], op.results[0].type
    argument = _resized(build, op.operands[0], _wide(type_))
    result = each_lane(build, argument, lambda lane: function(F32(build, lane)).value)
    replace(op, [_resized(build, result, type_)])


def expand(op: Operation, function: Callable[..., F32]) -> None:
    """Replace an operation on f32, f16 or bf16 by what `function` of its operands computes in f32."""
    build, type_ = LLVMBuilder.before_op(op), op.results[0].type
    wide = _wide(type_)
    result = function(*(_operand(build, value, wide) for value in op.operands)).value
    replace(op, [_resized(build, result, type_)])


def _wide(type_: Attribute) -> Attribute:
    return VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32


def _operand(build: LLVMBuilder, value: SSAValue, wide: Attribute) -> F32 | I32:
    """An operand as f32, or as it is when it is an i32 exponent."""
    if isinstance(lane_type(value.type), IntegerType):
        return I32(build, value)
    return F32(build, _resized(build, value, wide))


def _power_by_library(op: Operation) -> None:
    """f64 to an integer: to the same number in f64, by the library's pow."""
    build = LLVMBuilder.before_op(op)
    type_ = op.results[0].type
    exponent = build.value(arith.SIToFPOp, (op.operands[1],), type_)
    replace(op, [build.value(math.PowFOp, (op.operands[0], exponent), type_)])


def _resized(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    if value.type == type_:
        return value
    cast = arith.ExtFOp if isinstance(lane_type(type_), Float32Type) else arith.TruncFOp
    return build.value(cast, (value,), type_)
