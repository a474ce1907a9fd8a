"""Operations of LLVM's dialect: a builder, types, calls of intrinsics, and functions applied lane by lane."""

from __future__ import annotations

from flydsl.backend.conversion.type_sizes import alignment_of, size_of
from flydsl.ir.build import Builder
from flydsl.passes.to_llvm.builder import (
    DYNAMIC_INDEX,
    LLVMBuilder,
    array_type,
    integer,
    integers,
    pointer_type,
    raw_operation,
    splat,
)
from flydsl.passes.to_llvm.intrinsics import allows, call_intrinsic, may_approximate
from flydsl.passes.to_llvm.lanes import each_lane, intrinsic_of_lanes, lane_type, narrowed

__all__ = [
    "DYNAMIC_INDEX",
    "Builder",
    "LLVMBuilder",
    "alignment_of",
    "allows",
    "array_type",
    "call_intrinsic",
    "each_lane",
    "integer",
    "integers",
    "intrinsic_of_lanes",
    "lane_type",
    "may_approximate",
    "narrowed",
    "pointer_type",
    "raw_operation",
    "size_of",
    "splat",
]
