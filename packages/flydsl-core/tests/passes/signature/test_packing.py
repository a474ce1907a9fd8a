"""Fly values taken apart and put together: what is passed gives back the value, leaf for leaf."""

from __future__ import annotations

import pytest
from pass_programs import Kernel, kernel_of
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

import flydsl.layout as fl
from flydsl.ir.parse import parse_type
from flydsl.passes.signature.packing import Packer

L = fl.parse_layout


def ends(k: Kernel) -> object:
    """The return of a kernel, which new operations stand before."""
    end = kernel_of(k.module(check=False)).regions[0].blocks[0].last_op
    assert end is not None
    return end


@pytest.mark.parametrize(
    ("text", "packed", "scalars"),
    [
        ("!fly.int_tuple<(?,(?{i64},8))>", ["!llvm.struct<packed (i32, i64)>"], ["i32", "i64"]),
        ("!fly.int_tuple<(4,8)>", [], []),
        ("!fly.memref<f32, global, (4,8):(1,4)>", ["!fly.ptr<f32, global>"], ["!fly.ptr<f32, global>"]),
        ("f32", ["f32"], ["f32"]),
    ],
)
def test_types_that_a_value_is_passed_as(text: str, packed: list[str], scalars: list[str]) -> None:
    type_ = parse_type(text)
    assert [str(t) for t in Packer.types(type_, False)] == packed
    assert [str(t) for t in Packer.types(type_, True)] == scalars


@pytest.mark.parametrize("scalars", [False, True], ids=["struct", "scalars"])
def test_a_layout_goes_through_unchanged(scalars: bool) -> None:
    k = Kernel(i32, i64)
    value = k.layout(L("(?,8):(?{i64},1)"), *k.args)
    at = ends(k)
    packer = Packer()
    passed = packer.passed(value, at, scalars)  # type: ignore[arg-type]
    assert [p.type for p in passed] == Packer.types(value.type, scalars)
    rebuilt = packer.rebuilt(value.type, passed, at, scalars)  # type: ignore[arg-type]
    assert rebuilt.type == value.type
    assert leaves_of(rebuilt) == [*passed] if scalars else len(leaves_of(rebuilt)) == 2


def leaves_of(value: SSAValue) -> list[SSAValue]:
    """The integers at the bottom of the operations that make a value."""
    if not value.owner.operands:  # type: ignore[union-attr]
        return []
    if not isinstance(value.type, type(i32)):
        return [leaf for operand in value.owner.operands for leaf in leaves_of(operand)]  # type: ignore[union-attr]
    return [value]


def test_a_rebuilt_value_is_passed_on_as_what_it_came_from() -> None:
    k = Kernel(parse_type("!llvm.struct<packed (i32)>"))
    at = ends(k)
    packer = Packer()
    type_ = parse_type("!fly.int_tuple<?>")
    value = packer.rebuilt(type_, k.args, at, False)  # type: ignore[arg-type]
    before = len(list(k.block.ops))
    assert packer.passed(value, at, False) == list(k.args)  # type: ignore[arg-type]
    assert len(list(k.block.ops)) == before


def test_a_static_value_is_made_again_from_its_type() -> None:
    k = Kernel()
    at = ends(k)
    value = Packer().rebuilt(parse_type("!fly.layout<(4,8):(1,4)>"), [], at, False)  # type: ignore[arg-type]
    assert value.owner.name == "fly.static"  # type: ignore[union-attr]
