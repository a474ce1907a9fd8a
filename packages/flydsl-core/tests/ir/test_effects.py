"""What may be shared and erased, for operations of Fly, of upstream dialects and of plugins."""

from __future__ import annotations

import pytest
from effects_cases import ERASABLE, POINTER, PURE, STAYS, TENSOR, kind, last_op

from flydsl.ir.context import create_context
from flydsl.ir.effects import device_only, effects_of
from flydsl.ir.fly import Fly
from flydsl.ir.parse import parse_module

FRAGMENT = "!fly.memref<f32, register, 4:1>"
COORDS = "!fly.coord_tensor<0, 4:1E0>"
INDEX = "!fly.int_tuple<?>"


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
