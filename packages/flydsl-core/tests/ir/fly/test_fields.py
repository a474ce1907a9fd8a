"""Operand fields: which operands of an operation are theirs, and what happens through them."""

from __future__ import annotations

import pytest
from effects_cases import TENSOR, last_op
from xdsl.utils.exceptions import VerifyException

from flydsl.ir.fly import CopyAtomCallSsaOp, GemmOp, PrintOp, PtrStoreOp
from flydsl.ir.fly.fields import READ, WRITE
from flydsl.ir.fly.op import FlyOp

COPY = "!fly.copy_atom<!fly.universal_copy<32>, 32>"


def shares(op: FlyOp) -> dict[str, list[int]]:
    operands = list(op.operands)
    return {field.name: [operands.index(value) for value in field.values(op)] for field in op.operand_fields}


def test_optional_operands_in_the_middle_are_told_apart_by_segments() -> None:
    sizes = "{operandSegmentSizes = array<i32: 1, 1, 0, 1>}"
    op = last_op(f"%r = fly.copy_atom_call_ssa(%0, %1, %2) {sizes} : ({COPY}, {TENSOR}, i1) -> f32", COPY, TENSOR, "i1")
    assert isinstance(op, CopyAtomCallSsaOp)
    assert shares(op) == {"atom": [0], "src": [1], "dst": [], "pred": [2]}
    assert (op.dst, op.pred) == (None, op.operands[2])


def test_variadic_field_takes_the_rest() -> None:
    op = last_op('fly.print(%0, %1) {format = "{} {}"} : (f32, i32) -> ()', "f32", "i32")
    assert isinstance(op, PrintOp)
    assert shares(op) == {"values": [0, 1]}


def test_fields_carry_the_effect_on_what_their_operand_points_to() -> None:
    assert [field.effect for field in PtrStoreOp.operand_fields] == [None, WRITE]
    assert [field.effect for field in GemmOp.operand_fields] == [None, WRITE, READ, READ, READ, None]


def test_attribute_of_another_kind_is_refused() -> None:
    op = last_op("fly.print(%0) {format = 3 : i32} : (f32) -> ()", "f32")
    assert isinstance(op, PrintOp)
    with pytest.raises(VerifyException, match="the attribute 'format' of fly.print cannot be 3"):
        _ = op.format
