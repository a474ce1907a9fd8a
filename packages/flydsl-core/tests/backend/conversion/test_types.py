"""Converted types."""

from __future__ import annotations

import pytest
from fly_target import TARGET, PairCopyType
from toy_target import SPACES
from xdsl.dialects.builtin import i32

from flydsl.backend.conversion.target import AtomField, LoweringTarget
from flydsl.backend.conversion.types import TypeConverter
from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_type

STATES = {PairCopyType: (AtomField("soffset", i32),)}


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("!fly.ptr<f32, shared>", "!llvm.ptr<3>"),
        ("!fly.memref<f16, global, 4:1>", "!llvm.ptr<1>"),
        ("f8E5M2", "i8"),
        ("vector<4xf8E5M2>", "vector<4xi8>"),
        ("vector<4xf16>", "vector<4xf16>"),
        ("index", "index"),
        ("!fly.copy_atom<!fly.universal_copy<32>, 32>", "!llvm.struct<()>"),
        ("!fly.copy_atom<!fly_test.v1.pair_copy<32>, 32>", "!llvm.struct<(i32)>"),
    ],
)
def test_a_type_becomes_one_that_llvm_knows(text: str, converted: str) -> None:
    convert = TypeConverter(LoweringTarget("toy", SPACES, states=STATES))
    context = create_context([TARGET])
    assert convert(parse_type(text, context)) == parse_type(converted, context)


def test_a_space_that_the_target_lacks_is_refused() -> None:
    with pytest.raises(IRError, match=r"target 'toy' has no address space for !fly.ptr<f32, shared>"):
        TypeConverter(LoweringTarget("toy", {}))(parse_type("!fly.ptr<f32, shared>"))
