"""Each operation of the Fly dialect declares what it does to memory, and says it of the right operands."""

from __future__ import annotations

import pytest
from effects_cases import ERASABLE, PURE, STAYS, TENSOR, kind, last_op
from xdsl.ir import Operation
from xdsl.traits import EffectInstance, MemoryEffect, MemoryEffectKind

from flydsl.ir.effects import effects_of
from flydsl.ir.fly import Fly
from flydsl.ir.fly.effects import OUTSIDE, OperandEffects, points_to_memory
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.ktrace import KTRACE
from flydsl.ir.parse import parse_type

FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"
COPY = "!fly.copy_atom<!fly.universal_copy<32>, 32>"


@pytest.mark.parametrize("op_class", [*Fly.operations, *KTRACE.operations], ids=lambda op_class: op_class.name)
def test_each_operation_of_the_dialect_declares_its_effects(op_class: type[Operation]) -> None:
    traits = [trait for trait in op_class.traits if isinstance(trait, MemoryEffect)]
    assert traits
    assert issubclass(op_class, FlyOp)
    through_operands = any(isinstance(trait, OperandEffects) for trait in traits)
    assert through_operands == any(field.effect is not None for field in op_class.operand_fields)


def mma_call(d: str, a: str, b: str, c: str, result: str = "") -> Operation:
    operands = [FMA, a, b, c, *([d] if d else [])]
    return last_op(
        f"{'%r = ' if result else ''}fly.mma_atom_call_ssa(%0, %1, %2, %3){' dst = %4' if d else ''} : "
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
    assert effects_of(op) == {EffectInstance(MemoryEffectKind.WRITE, op.operands[4])}
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
    "text, expected",
    [
        ("!fly.ptr<f32, shared>", True),
        (TENSOR, True),
        ("!llvm.ptr", True),
        ("vector<4x!llvm.ptr>", True),
        ("!llvm.struct<(i32)>", True),
        ("i64", False),
        ("vector<4xf32>", False),
        ("!fly.coord_tensor<0, 4:1E0>", False),
        ("!fly.layout<4:1>", False),
    ],
)
def test_numbers_coordinates_and_layouts_point_to_no_memory(text: str, expected: bool) -> None:
    assert points_to_memory(parse_type(text)) == expected
