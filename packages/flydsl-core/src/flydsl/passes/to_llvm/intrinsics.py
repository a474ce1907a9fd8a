"""Calls of LLVM intrinsics by name, for those that no dialect has an operation for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.passes.cached_attributes import segments
from flydsl.passes.to_llvm.builder import LLVMBuilder


def call_intrinsic(
    build: LLVMBuilder,
    name: str,
    operands: Sequence[SSAValue] = (),
    result_types: Sequence[Attribute] = (),
    fastmath: Attribute | None = None,
) -> Operation:
    """`llvm.call_intrinsic "name"(operands)`; overloaded intrinsics need the name without type suffix. `fastmath` are
    the flags of the `math` operation that it stands for.
    """
    flags = fastmath if isinstance(fastmath, arith.FastMathFlagsAttr) else None
    return build.create(
        llvm.CallIntrinsicOp, operands, result_types, properties=_properties(name, len(operands), flags)
    )


def allows(op: Operation, flag: FastMathFlag) -> bool:
    """Whether a float operation has this flag."""
    flags = op.properties.get("fastmath")
    return isinstance(flags, arith.FastMathFlagsAttr) and flag in flags.data


def may_approximate(op: Operation) -> bool:
    """Whether the flags of a float operation (`afn`) let an approximation stand for it."""
    return allows(op, FastMathFlag.APPROX_FUNC)


@lru_cache(maxsize=1024)
def _properties(name: str, operands: int, fastmath: arith.FastMathFlagsAttr | None) -> dict[str, Attribute]:
    properties: dict[str, Attribute] = {
        "intrin": StringAttr(name),
        "op_bundle_sizes": segments(),
        "operandSegmentSizes": segments(operands, 0),
    }
    if fastmath is not None:
        properties["fastmathFlags"] = llvm.FastMathAttr(fastmath.data)
    return properties
