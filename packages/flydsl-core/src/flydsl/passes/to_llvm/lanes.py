"""Scalar functions applied lane by lane to vectors."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, SSAValue

from flydsl.passes.cached_attributes import position
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.intrinsics import call_intrinsic


def lane_type(type_: Attribute) -> Attribute:
    """The type of a vector's lanes; of a scalar its own."""
    return type_.element_type if isinstance(type_, VectorType) else type_


def each_lane(build: LLVMBuilder, value: SSAValue, function: Callable[[SSAValue], SSAValue]) -> SSAValue:
    """Apply a function of scalars, which may give another type, to a scalar, or to every lane of a vector."""
    type_ = value.type
    if not isinstance(type_, VectorType):
        return function(value)
    flat = VectorType(type_.element_type, [type_.element_count()])
    value = build.raw("vector.shape_cast", (value,), (flat,)).results[0]
    results = []
    for lane in range(type_.element_count()):
        properties = {"static_position": position(lane)}
        results.append(function(build.value(vector.ExtractOp, (value,), type_.element_type, properties)))
    element = results[0].type
    made = build.raw("vector.from_elements", results, (VectorType(element, flat.shape),)).results[0]
    return build.raw("vector.shape_cast", (made,), (VectorType(element, type_.shape),)).results[0]


def intrinsic_of_lanes(build: LLVMBuilder, name: str, value: SSAValue) -> SSAValue:
    """An intrinsic of one scalar that gives one of the same type."""
    return each_lane(build, value, lambda lane: call_intrinsic(build, name, (lane,), (lane.type,)).results[0])


def narrowed(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    """Floats rounded to a narrower type, unless they have it."""
    return value if value.type == type_ else build.value(arith.TruncFOp, (value,), type_)
