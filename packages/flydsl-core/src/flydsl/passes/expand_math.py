"""Elementary functions on f32, f16 and bf16 in, arithmetic out: the pass `expand-math{functions=exp,tanh}`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, ModuleOp, VectorType, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import SettingError
from flydsl.passes.math.expression import F32
from flydsl.passes.math.functions import FUNCTIONS
from flydsl.passes.rewriting import replace
from flydsl.passes.to_llvm.builder import LLVMBuilder

__all__ = ["ExpandMath"]


@dataclass(frozen=True)
class ExpandMath(ModulePass):
    """Replaces the named functions (all known ones by default); f64 is left to a library."""

    name: ClassVar[str] = "expand-math"
    functions: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Expand them everywhere in `op`."""
        names = {f"math.{name}" for name in self.functions.split(",") if name} or set(FUNCTIONS)
        if unknown := names - set(FUNCTIONS):
            raise SettingError(f"no expansion of {sorted(unknown)}; known: {', '.join(sorted(FUNCTIONS))}")
        for found in [inner for inner in op.walk() if inner.name in names]:
            if isinstance(_element(found.results[0].type), Float32Type | Float16Type | BFloat16Type):
                _expand(found)


def _expand(op: Operation) -> None:
    build = LLVMBuilder.before_op(op)
    argument, type_ = op.operands[0], op.results[0].type
    wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32
    result = FUNCTIONS[op.name](F32(build, _resized(build, argument, wide))).value
    replace(op, [_resized(build, result, type_)])


def _resized(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    if value.type == type_:
        return value
    cast = arith.ExtFOp if isinstance(_element(type_), Float32Type) else arith.TruncFOp
    return build.value(cast, (value,), type_)


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_
