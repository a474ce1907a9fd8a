"""What may be shared and erased, for operations of Fly, of upstream dialects and of plugins."""

from __future__ import annotations

import pytest
from effects_target import EFFECTS_TARGET
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind

from flydsl.ir.context import create_context
from flydsl.ir.effects import device_only, effects_of, is_erasable, is_pure
from flydsl.ir.fly import Fly
from flydsl.ir.fly.effects import OUTSIDE, OperandEffects
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.ktrace import KTRACE
from flydsl.ir.parse import parse_module

TENSOR = "!fly.memref<f32, global, 4:1>"
FRAGMENT = "!fly.memref<f32, register, 4:1>"
POINTER = "!fly.ptr<f32, global>"
COORDS = "!fly.coord_tensor<0, 4:1E0>"
FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
COPY = "!fly.copy_atom<!fly.universal_copy<32>, 32>"
INDEX = "!fly.int_tuple<?>"

PURE, ERASABLE, STAYS = "pure", "erasable", "stays"


def kind(op: Operation) -> str:
    assert not is_pure(op) or is_erasable(op)
    return PURE if is_pure(op) else ERASABLE if is_erasable(op) else STAYS


def last_op(text: str, *types: str) -> Operation:
    """The last operation of a body with the operands %0, %1, ... of these types."""
    arguments = ", ".join(f"%{index} : {type_}" for index, type_ in enumerate(types))
    source = f'"func.func"() ({{ ^bb0({arguments}): {text} }}) {{sym_name = "f", function_type = () -> ()}} : () -> ()'
    context = create_context([EFFECTS_TARGET])
    module = parse_module(source, context, check=False)
    (function,) = module.body.block.ops
    found = function.regions[0].block.last_op
    assert found is not None
    return found


@pytest.mark.parametrize("op_class", [*Fly.operations, *KTRACE.operations], ids=lambda op_class: op_class.name)
def test_each_operation_of_the_dialect_declares_its_effects(op_class: type[Operation]) -> None:
    traits = [trait for trait in op_class.traits if isinstance(trait, MemoryEffect)]
    assert traits
    assert issubclass(op_class, FlyOp)
    through_operands = any(isinstance(trait, OperandEffects) for trait in traits)
    assert through_operands == any(field.effect is not None for field in op_class.operand_fields)


@pytest.mark.parametrize(
    "text, types, expected",
    [
        (f"%r = fly.get_iter(%0) : ({TENSOR}) -> {POINTER}", [TENSOR], PURE),
        (f"%r = fly.ptr.load(%0) : ({POINTER}) -> f32", [POINTER], ERASABLE),
        (f"%r = fly.memref.load(%0, %1) : ({TENSOR}, {INDEX}) -> f32", [TENSOR, INDEX], ERASABLE),
        (f"%r = fly.memref.load(%0, %1) : ({COORDS}, {INDEX}) -> {INDEX}", [COORDS, INDEX], PURE),
        (f"%r = fly.make_fragment_like(%0) : ({TENSOR}) -> {FRAGMENT}", [TENSOR], ERASABLE),
        (f"%r = fly.make_ptr(%0) : ({POINTER}) -> {POINTER}", [POINTER], ERASABLE),
        (f"fly.ptr.store(%0, %1) : (f32, {POINTER}) -> ()", ["f32", POINTER], STAYS),
        ('fly.print(%0) {format = "{}"} : (f32) -> ()', ["f32"], STAYS),
        ("fly.breakpoint(%0) {variables = {}} : (f32) -> ()", ["f32"], STAYS),
        (f"%r = fly.assume(%0, %0) : ({POINTER}, {POINTER}) -> {POINTER}", [POINTER], STAYS),
        ('fly_ktrace.mark() {label = "here"} : () -> ()', [], STAYS),
        ('%r = fly_ktrace.range_start() {label = "here"} : () -> !fly_ktrace.token', [], STAYS),
        ("%r = fly_ktrace.inactive_token() : () -> !fly_ktrace.token", [], PURE),
        ("%r = arith.addi %0, %0 : i32", ["i32"], PURE),
        ("%r = arith.remui %0, %0 : i32", ["i32"], PURE),
        ("%r = gpu.thread_id x", [], PURE),
        ("gpu.barrier", [], STAYS),
        ('%r = "gpu.shuffle"(%0) : (f32) -> f32', ["f32"], STAYS),
        ('%r = "llvm.load"(%0) : (!llvm.ptr) -> i32', ["!llvm.ptr"], ERASABLE),
        ('%r = "llvm.load"(%0) {ordering = 4 : i64} : (!llvm.ptr) -> i32', ["!llvm.ptr"], STAYS),
        ('%r = "llvm.load"(%0) {volatile_} : (!llvm.ptr) -> i32', ["!llvm.ptr"], STAYS),
        ('%r = "llvm.atomicrmw"(%0, %1) : (!llvm.ptr, i32) -> i32', ["!llvm.ptr", "i32"], STAYS),
        ('%r = "llvm.inline_asm"(%0) {asm_string = "x", constraints = "y"} : (i32) -> i32', ["i32"], STAYS),
        ('"memref.global"() {sym_name = "g"} : () -> ()', [], STAYS),
        ('"scf.yield"() : () -> ()', [], STAYS),
        ('%r = "fx_test.weigh"(%0) : (f32) -> f32', ["f32"], PURE),
        ('%r = "fx_test.peek"(%0) : (!llvm.ptr) -> f32', ["!llvm.ptr"], ERASABLE),
        ('%r = "fx_test.strike"(%0) : (!llvm.ptr) -> f32', ["!llvm.ptr"], STAYS),
        ('%r = "fx_test.mystery"(%0) : (f32) -> f32', ["f32"], STAYS),
        ('%r = "fx_test.silent"(%0) : (f32) -> f32', ["f32"], STAYS),
    ],
)  # fmt: skip
def test_operations_are_shared_and_erased_by_their_effects(text: str, types: list[str], expected: str) -> None:
    assert kind(last_op(text, *types)) == expected


def mma_call(d: str, a: str, b: str, c: str, result: str = "") -> Operation:
    operands, sizes = [FMA, d, a, b, c] if d else [FMA, a, b, c], f"1, {int(bool(d))}, 1, 1, 1"
    names = ", ".join(f"%{index}" for index in range(len(operands)))
    return last_op(
        f"{'%r = ' if result else ''}fly.mma_atom_call_ssa({names}) {{operandSegmentSizes = array<i32: {sizes}>}} : "
        f"({', '.join(operands)}) -> {result or '()'}",
        *operands,
    )


def test_matrix_multiply_of_values_is_a_function_of_them() -> None:
    op = mma_call("", "f32", "f32", "f32", "f32")
    assert effects_of(op) == frozenset()
    assert kind(op) == PURE


def test_matrix_multiply_that_reads_a_tensor_is_not_shared() -> None:
    op = mma_call("", TENSOR, "f32", "f32", "f32")
    assert effects_of(op) == {EffectInstance(MemoryEffectKind.READ, op.operands[1])}
    assert kind(op) == ERASABLE


def test_matrix_multiply_into_a_tensor_stays() -> None:
    op = mma_call(TENSOR, "f32", "f32", "f32")
    assert effects_of(op) == {EffectInstance(MemoryEffectKind.WRITE, op.operands[1])}
    assert kind(op) == STAYS


def test_copy_call_into_registers_stays_and_says_what_it_reads() -> None:
    sizes = "{operandSegmentSizes = array<i32: 1, 1, 0, 1>}"
    op = last_op(f"%r = fly.copy_atom_call_ssa(%0, %1, %2) {sizes} : ({COPY}, {TENSOR}, i1) -> f32", COPY, TENSOR, "i1")
    assert effects_of(op) == {EffectInstance(MemoryEffectKind.READ, op.operands[1]), OUTSIDE}
    assert kind(op) == STAYS


def test_operand_fields_say_what_is_read_and_written() -> None:
    op = last_op(f"fx_test.move(%0, %1) : ({TENSOR}, {TENSOR}) -> ()", TENSOR, TENSOR)
    read, write = (EffectInstance(kind, value) for kind, value in zip(MemoryEffectKind, op.operands, strict=False))
    assert effects_of(op) == {read, write}


@pytest.mark.parametrize(
    "outer, inner, expected",
    [
        ("scf.if", "%x = arith.addi %1, %1 : i32", ERASABLE),
        ("scf.if", f"%x = fly.ptr.load(%2) : ({POINTER}) -> f32", ERASABLE),
        ("scf.if", f"fly.ptr.store(%3, %2) : (f32, {POINTER}) -> ()", STAYS),
        ("scf.if", '%x = "fx_test.mystery"(%1) : (i32) -> i32', STAYS),
        ("fx_test.twice", "%x = arith.addi %1, %1 : i32", ERASABLE),
        ("fx_test.twice", '%x = "fx_test.strike"(%1) : (i32) -> i32', STAYS),
        ("fx_test.mystery_region", "%x = arith.addi %1, %1 : i32", STAYS),
    ],
)
def test_operation_with_regions_goes_when_all_that_it_holds_may_go(outer: str, inner: str, expected: str) -> None:
    regions = f'({{ {inner} "scf.yield"() : () -> () }}, {{ }})' if outer == "scf.if" else f"({{ {inner} }})"
    assert kind(last_op(f'"{outer}"(%0) {regions} : (i1) -> ()', "i1", "i32", POINTER, "f32")) == expected


def test_while_loop_stays_since_it_may_wait_for_another_thread() -> None:
    before = f'%v = fly.ptr.load(%0) : ({POINTER}) -> i1 "scf.condition"(%v) : (i1) -> ()'
    text = f'"scf.while"() ({{ {before} }}, {{ "scf.yield"() : () -> () }}) : () -> ()'
    assert kind(last_op(text, POINTER)) == STAYS


def test_unregistered_operation_stays() -> None:
    context = create_context()
    context.allow_unregistered = True
    module = parse_module('%r = "other.op"() : () -> i32', context, check=False)
    (op,) = module.body.block.ops
    assert effects_of(op) is None
    assert kind(op) == STAYS


def test_only_operations_on_memory_and_threads_are_for_the_device_alone() -> None:
    operations = {op.name: op for op in Fly.operations}
    assert device_only(operations["fly.gemm"]) == "gemm"
    assert device_only(operations["fly.make_layout"]) == ""
    context = create_context()
    assert device_only(context.get_op("gpu.thread_id")) == "thread_idx"
    assert device_only(context.get_op("arith.addi")) == ""
