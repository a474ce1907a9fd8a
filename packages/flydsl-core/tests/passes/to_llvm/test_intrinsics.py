"""Calls of intrinsics by name."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block

from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.intrinsics import call_intrinsic, may_approximate


def test_a_call_names_the_intrinsic_and_types_its_results() -> None:
    block = Block(arg_types=[f32, f32])
    op = call_intrinsic(LLVMBuilder(block), "llvm.maxnum", block.args, [f32])
    assert op.properties["intrin"].data == "llvm.maxnum"  # type: ignore[attr-defined]
    assert tuple(op.operands) == block.args
    assert [result.type for result in op.results] == [f32]
    assert block.last_op is op
    op.verify()


def test_flags_of_the_operation_it_stands_for_are_kept() -> None:
    block = Block(arg_types=[f32])
    flags = arith.FastMathFlagsAttr([FastMathFlag.NO_NANS])
    op = call_intrinsic(LLVMBuilder(block), "llvm.exp2", block.args, [f32], flags)
    assert op.properties["fastmathFlags"].data == flags.data  # type: ignore[attr-defined]
    other = call_intrinsic(LLVMBuilder(block), "llvm.exp2", block.args, [f32])
    assert not other.properties["fastmathFlags"].data  # type: ignore[attr-defined]


def test_approximations_are_allowed_by_a_flag_alone() -> None:
    block = Block(arg_types=[f32, f32])
    flags = ([FastMathFlag.APPROX_FUNC], [FastMathFlag.REASSOC, FastMathFlag.APPROX_FUNC], [FastMathFlag.NO_NANS], [])
    found = [may_approximate(arith.DivfOp(*block.args, arith.FastMathFlagsAttr(given))) for given in flags]
    assert found == [True, True, False, False]
