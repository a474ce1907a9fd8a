"""Text of operations: the printed form, and what older text may say instead."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.emit import emit_generic
from flydsl.ir.fly import MmaAtomCallSsaOp
from flydsl.ir.parse import parse_module

FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
TILED = "!fly.tiled_mma<!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>, !fly.layout<(16,16,1):(16,1,0)>>"
REGISTERS = "!fly.memref<f32, register, 1:0>"
TENSOR = "!fly.memref<f32, shared, (1,4,8):(0,128,1)>"
VALUES = f'%m, %a, %b, %c, %d = "builtin.unrealized_conversion_cast"() : () -> ({FMA}, f32, f32, f32, {REGISTERS})\n'
TILE = f'%m, %t = "builtin.unrealized_conversion_cast"() : () -> ({TILED}, {TENSOR})\n'


@pytest.mark.parametrize(
    "call",
    [
        f"(%m, %a, %b, %c) dst = %d : ({FMA}, f32, f32, f32, {REGISTERS})",
        f"(%m, %d, %a, %b, %c) : ({FMA}, {REGISTERS}, f32, f32, f32)",
        "(%m, %d, %a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : "
        f"({FMA}, {REGISTERS}, f32, f32, f32)",
    ],
)
def test_a_call_into_memory_is_read_in_either_order_of_operands(call: str) -> None:
    module = parse_module(f"{VALUES}fly.mma_atom_call_ssa{call} -> ()")
    op = module.body.ops.last
    assert isinstance(op, MmaAtomCallSsaOp)
    assert [str(operand.type) for operand in op.operands] == [FMA, "f32", "f32", "f32", REGISTERS]
    assert op.d is op.operands[4]
    assert str(op) == f"fly.mma_atom_call_ssa(%m, %a, %b, %c) dst = %d : ({FMA}, f32, f32, f32, {REGISTERS}) -> ()"
    assert parse_module(emit_generic(module)).is_structurally_equivalent(module)


def test_generic_text_with_segments_of_a_matrix_call_is_refused() -> None:
    sizes = "{operandSegmentSizes = array<i32: 1, 0, 1, 1, 1>}"
    with pytest.raises(IRError, match="has no operandSegmentSizes: its operands are atom, a, b, c and, last, d"):
        parse_module(f'{VALUES}%r = "fly.mma_atom_call_ssa"(%m, %a, %b, %c) {sizes} : ({FMA}, f32, f32, f32) -> f32')


@pytest.mark.parametrize("call", ["(a, %m, %t, stages = 2)", "(a, %m, %t) {stages = 2 : i32}"])
def test_the_stages_of_a_fragment_stand_in_the_parentheses_or_the_dictionary(call: str) -> None:
    result = "!fly.memref<f32, register, (1,4,8,2):(0,8,1,32)>"
    op = parse_module(f"{TILE}%r = fly.mma.make_fragment{call} : ({TILED}, {TENSOR}) -> {result}").body.ops.last
    assert str(op) == f"%r = fly.mma.make_fragment(a, %m, %t, stages = 2) : ({TILED}, {TENSOR}) -> {result}"


@pytest.mark.parametrize("call", ["() :", "() : () ->"])
def test_an_operation_without_operands_may_leave_out_the_arrow(call: str) -> None:
    op = parse_module(f"%r = fly.get_dyn_shared{call} !fly.ptr<i8, shared, align<1024>>").body.ops.last
    assert str(op) == "%r = fly.get_dyn_shared() : !fly.ptr<i8, shared, align<1024>>"


@pytest.mark.parametrize(
    "call", ["(a, stages = 2, %m, %t)", '(a, %m, "x", %t)', "(a, %m, %t, stages = %t)", "(a, %m, %t) dst = %m"]
)
def test_attributes_have_their_places_among_the_operands(call: str) -> None:
    with pytest.raises(IRError, match="[Ee]xpected"):
        parse_module(f"{TILE}%r = fly.mma.make_fragment{call} : ({TILED}, {TENSOR}) -> {TENSOR}")
