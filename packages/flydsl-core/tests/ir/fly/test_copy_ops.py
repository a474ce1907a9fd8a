"""Copy operations: operands by name and the checks of atoms and tensors."""

from __future__ import annotations

import pytest
from fly_cases import ATOM, FMA, FRAGMENT, PART
from verified_op import verified
from xdsl.utils.exceptions import VerifyException


def test_an_atom_is_made_for_values_of_its_own_width() -> None:
    assert verified(f"%r = fly.make_copy_atom {{valBits = 32 : i32}} : {ATOM}").val_bits == 32
    for text in (f"{{valBits = 16 : i32}} : {ATOM}", f"{{valBits = 32 : i32}} : {FMA}"):
        with pytest.raises(VerifyException, match=r"makes a copy_atom of (16|32) bits, found !fly\."):
            verified(f"%r = fly.make_copy_atom {text}")


@pytest.mark.parametrize("name", ["copy", "copy_atom_call"])
def test_a_copy_has_a_source_a_destination_and_perhaps_a_predicate(name: str) -> None:
    flag = "!fly.memref<i1, register, 1:0>"
    plain = verified(f"fly.{name}(%0, %1, %2) : ({ATOM}, {PART}, {FRAGMENT}) -> ()", ATOM, PART, FRAGMENT)
    assert (plain.atom, plain.src, plain.dst, plain.pred) == (*plain.operands, None)
    types = (ATOM, PART, FRAGMENT, flag)
    guarded = verified(f"fly.{name}(%0, %1, %2, %3) : ({', '.join(types)}) -> ()", *types)
    assert guarded.pred is guarded.operands[3]
    assert guarded.device_only == name


@pytest.mark.parametrize(
    ("name", "types", "message"),
    [
        ("copy", (FMA, PART, PART), "operand 0 of fly.copy must be a copy_atom or tiled_copy, found !fly.mma_atom"),
        ("copy", (ATOM, "f32", PART), "operand 1 of fly.copy must be a tensor, found f32"),
        ("copy_atom_call", (ATOM, PART, "f32"), "operand 2 of fly.copy_atom_call must be a tensor, found f32"),
        (
            "copy_atom_call",
            (PART, PART, PART),
            "operand 0 of fly.copy_atom_call must be a copy_atom, found !fly.memref",
        ),
        ("copy_atom_call", (ATOM, PART), r"takes \(atom, src, dst, pred\), found 2 operands"),
    ],
)
def test_wrong_operands_are_refused(name: str, types: tuple[str, ...], message: str) -> None:
    operands = ", ".join(f"%{index}" for index in range(len(types)))
    with pytest.raises(VerifyException, match=message):
        verified(f"fly.{name}({operands}) : ({', '.join(types)}) -> ()", *types)


def test_register_operands_may_be_values() -> None:
    sizes = "{operandSegmentSizes = array<i32: 1, 1, 0, 1>}"
    op = verified(f"%r = fly.copy_atom_call_ssa(%0, %1, %2) {sizes} : ({ATOM}, {PART}, i1) -> f32", ATOM, PART, "i1")
    assert (op.src, op.dst, op.pred) == (op.operands[1], None, op.operands[2])


def test_wrong_segments_are_refused() -> None:
    sizes = "{operandSegmentSizes = array<i32: 1, 1, 1, 1>}"
    with pytest.raises(VerifyException, match=r"operandSegmentSizes \(1, 1, 1, 1\) does not add up to 2 operands"):
        verified(f"%r = fly.copy_atom_call_ssa(%0, %1) {sizes} : ({ATOM}, {PART}) -> f32", ATOM, PART)
