"""The atoms of every target: copies, atomics, one multiply-add."""

from __future__ import annotations

import pytest
from toy_target import convert, lines

from flydsl.backend.conversion.universal_atoms import atomic_kind, transfer_type
from flydsl.base.errors import IRError
from flydsl.ir.fly.attributes import AtomicOp
from flydsl.ir.parse import parse_type


@pytest.mark.parametrize(
    ("op", "element", "number"), [("add", "i32", 1), ("add", "f32", 11), ("max", "i32", 7), ("min", "f64", 14)]
)
def test_atomic_copy_becomes_atomicrmw(op: str, element: str, number: int) -> None:
    atom = f'!fly.copy_atom<!fly.universal_atomic<{op}, {element}, "agent">, 32>'
    memory = f"!fly.memref<{element}, global, 1:0>"
    text = convert(
        f"%p: !fly.ptr<{element}, global>, %v: {element}",
        f"""
        %layout = fly.static : !fly.layout<1:0>
        %dst = fly.make_view(%p, %layout) : (!fly.ptr<{element}, global>, !fly.layout<1:0>) -> {memory}
        %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {atom}
        "fly.copy_atom_call_ssa"(%atom, %v, %dst) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
          : ({atom}, {element}, {memory}) -> ()
        """,
    )
    (line,) = lines(text, "llvm.atomicrmw")
    assert f"bin_op = {number} : i64" in line
    assert 'syncscope = "agent"' in line


def test_atomic_that_does_not_exist_is_an_error() -> None:
    atom = "!fly.copy_atom<!fly.universal_atomic<and, f32>, 32>"
    memory = "!fly.memref<f32, global, 1:0>"
    with pytest.raises(IRError, match="no atomic 'and' on f32"):
        convert(
            "%p: !fly.ptr<f32, global>, %v: f32",
            f"""
            %layout = fly.static : !fly.layout<1:0>
            %dst = fly.make_view(%p, %layout) : (!fly.ptr<f32, global>, !fly.layout<1:0>) -> {memory}
            %atom = fly.make_copy_atom {{valBits = 32 : i32}} : {atom}
            "fly.copy_atom_call_ssa"(%atom, %v, %dst) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}}
              : ({atom}, f32, {memory}) -> ()
            """,
        )


@pytest.mark.parametrize(("element", "operation"), [("f32", "math.fma"), ("f16", "math.fma"), ("i32", "arith.muli")])
def test_universal_fma_is_one_multiply_add(element: str, operation: str) -> None:
    atom = f"!fly.mma_atom<!fly.universal_fma<1x1x1, ({element}, {element}) -> {element}>>"
    text = convert(
        f"%a: {element}, %b: {element}, %c: {element}",
        f"""
        %atom = fly.make_mma_atom : {atom}
        %d = "fly.mma_atom_call_ssa"(%atom, %a, %b, %c)
          : ({atom}, {element}, {element}, {element}) -> {element}
        """,
    )
    assert len(lines(text, operation)) == 1


def test_a_copy_moves_whole_bytes() -> None:
    assert [str(transfer_type(bits)) for bits in (8, 64, 96, 24)] == ["i8", "i64", "vector<3xi32>", "vector<3xi8>"]
    with pytest.raises(IRError, match="a copy moves whole bytes, found 12 bits"):
        transfer_type(12)


@pytest.mark.parametrize(
    ("op", "element", "number"),
    [
        (AtomicOp.MAX, "ui32", 9),
        (AtomicOp.MIN, "ui8", 10),
        (AtomicOp.MAX, "si32", 7),
        (AtomicOp.INC, "ui32", 15),
        (AtomicOp.ADD, "vector<2xf16>", 11),
        (AtomicOp.OR, "i64", 5),
    ],
)
def test_the_kind_of_an_atomic_follows_the_sign_and_the_element(op: AtomicOp, element: str, number: int) -> None:
    assert atomic_kind(op, parse_type(element)) == number
