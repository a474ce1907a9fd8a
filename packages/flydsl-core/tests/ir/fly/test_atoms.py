"""Atoms of a target: their types in text, their place in tiled copies and MMAs."""

from __future__ import annotations

import pytest
from fly_target import TARGET, BufferSpaceAttr, PairCopyType, PairMmaType
from xdsl.dialects.builtin import f16, f32, i32
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.fly.attributes import AtomicOp, AtomicOpAttr
from flydsl.ir.fly.types import (
    CopyAtomType,
    MmaAtomType,
    PointerType,
    UniversalAtomicType,
    UniversalCopyType,
    UniversalFMAType,
    is_static,
)
from flydsl.ir.parse import parse_module


def read(text: str) -> Attribute:
    return Parser(create_context([TARGET]), text).parse_type()


@pytest.mark.parametrize(
    "text",
    [
        "!fly_test.v1.pair_copy<64>",
        "!fly_test.v1.pair_copy<64, cache = 2>",
        "!fly_test.mma<2x1x2, (f16, f16) -> f32>",
        "!fly_test.mma<2x1x2, (f8E4M3FNUZ, f8E5M2FNUZ) -> f32>",
        "!fly.copy_atom<!fly_test.v1.pair_copy<64>, 16>",
        "!fly.mma_atom<!fly_test.mma<2x1x2, (f16, f16) -> f32>>",
        "!fly.ptr<f32, #fly_test.buffer_desc>",
        "!fly.ptr<f32, #fly_test.buffer_desc, align<16>>",
        "!fly.memref<f32, #fly_test.buffer_desc, (8,64):(?{i64},1)>",
    ],
)
def test_types_of_a_target_print_what_they_parsed(text: str) -> None:
    assert str(read(text)) == text


def test_types_of_a_missing_target_are_diagnosed() -> None:
    with pytest.raises(ParseError, match=r"'fly_test\.mma' is not registered"):
        Parser(create_context(), "!fly_test.mma<2x1x2, (f16, f16) -> f32>").parse_type()


def test_space_of_a_target_is_an_attribute() -> None:
    assert read("!fly.ptr<f32, #fly_test.buffer_desc>") == PointerType(f32, BufferSpaceAttr())


def test_atom_with_state_is_not_static() -> None:
    assert not is_static(CopyAtomType(PairCopyType(64), 16))
    assert is_static(MmaAtomType(PairMmaType(f16, f16, f32)))


def test_bit_layouts_are_recast_to_values() -> None:
    tv = CopyAtomType(PairCopyType(64), 16).tv
    assert (str(tv.thr_layout), str(tv.src), str(tv.ref)) == ("2:1", "(2,4):(4,1)", "(2,4):(4,1)")
    assert str(tv.dst) == "(2,(2,2)):(2,(1,4))"


@pytest.mark.parametrize(("bits", "val_bits", "values"), [(128, 32, 4), (128, 8, 16), (32, 32, 1), (16, 4, 4)])
def test_universal_copy_moves_neighbouring_values(bits: int, val_bits: int, values: int) -> None:
    tv = CopyAtomType(UniversalCopyType(bits), val_bits).tv
    assert [tv.src(0, value) for value in range(values)] == list(range(values))
    assert fl.size(tv.src) == values


def test_universal_atomic_is_as_wide_as_its_value() -> None:
    op = UniversalAtomicType(AtomicOpAttr(AtomicOp.MAX), i32, "agent")
    assert fl.size(op.src_tv_bits) == fl.size(op.dst_tv_bits) == 32


def test_universal_fma_holds_one_element_each() -> None:
    tv = MmaAtomType(UniversalFMAType(f32)).tv
    assert tv.shape_mnk == (1, 1, 1)
    assert [fl.size(tv.operand(name)) for name in "abcd"] == [1, 1, 1, 1]


def test_state_of_an_atom_is_set_by_field() -> None:
    atom = "!fly.copy_atom<!fly_test.v1.pair_copy<64>, 16>"
    text = (
        '%0, %1 = "builtin.unrealized_conversion_cast"() : () -> (ATOM, i32)\n'
        '%2 = fly.atom.set_value(%0, "soffset", %1) : (ATOM, i32) -> ATOM'
    ).replace("ATOM", atom)
    older = text.replace('"soffset", %1)', '%1) {field = "soffset"}')
    for given in (text, older):
        module = parse_module(given, create_context([TARGET]))
        assert str(module.body.ops.last).endswith(f', "soffset", %2) : ({atom}, i32) -> {atom}')
    with pytest.raises(IRError, match="has no field 'imm_offset': it has soffset"):
        parse_module(text.replace("soffset", "imm_offset"), create_context([TARGET]))
