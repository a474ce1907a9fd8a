"""What xDSL lacks of MLIR 22: operations by name, packed structs, shuffle modes; dialects with them put in."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import i32, i64
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.parser import Parser
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import ParseError

from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_module
from flydsl.ir.upstream import OPERATIONS, ShuffleMode, ShuffleModeAttr, StructType, upstream_op


@pytest.mark.parametrize(
    "text",
    [
        "!llvm.struct<()>",
        "!llvm.struct<(i32, f32)>",
        "!llvm.struct<packed (i32, i64)>",
        "!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>",
        "!llvm.struct<(ptr<8>, i32)>",
        "!llvm.struct<(array<4 x i8>, struct<(ptr, i64)>)>",
        '!llvm.struct<"config", (i32, vector<4xf32>)>',
    ],
)
def test_struct_prints_what_it_parsed(text: str) -> None:
    assert str(Parser(create_context(), text).parse_type()) == text


def test_struct_with_full_names_inside_is_the_same_type() -> None:
    full = Parser(create_context(), "!llvm.struct<packed (!llvm.struct<(!llvm.ptr<1>)>, i64)>").parse_type()
    nested = StructType((LLVMPointerType(full.elements[0].elements[0].addr_space),))
    assert full == StructType((nested, i64), packed=True)
    assert str(full) == "!llvm.struct<packed (struct<(ptr<1>)>, i64)>"


@pytest.mark.parametrize(
    "text", ["!llvm.struct<", "!llvm.struct<(i32>", "!llvm.struct<packed>", '!llvm.struct<"a" (i32)>']
)
def test_malformed_struct_is_a_parse_error(text: str) -> None:
    with pytest.raises(ParseError):
        Parser(create_context(), text).parse_type()


def test_shuffle_mode_is_an_attribute_in_mlirs_spelling() -> None:
    assert str(ShuffleModeAttr(ShuffleMode.XOR)) == "#gpu<shuffle_mode xor>"


def test_every_operation_is_found_in_its_dialect() -> None:
    context = create_context()
    for name, op_class in OPERATIONS.items():
        assert context.get_op(name) is op_class


def test_operations_of_xdsl_stay_where_they_are_right() -> None:
    from xdsl.dialects import arith, llvm

    context = create_context()
    assert context.get_op("arith.addi") is arith.AddiOp
    assert context.get_op("llvm.load") is llvm.LoadOp


def test_operation_by_name_has_the_traits_it_was_given() -> None:
    op_class = upstream_op("rocdl.readfirstlane", pure=True)
    assert op_class.name == "rocdl.readfirstlane"
    assert op_class.__name__ == "RocdlReadfirstlaneOp"
    assert op_class.has_trait(Pure)
    assert upstream_op("rocdl.end", terminator=True).has_trait(IsTerminator)
    assert not upstream_op("rocdl.s.barrier").has_trait(Pure)


def test_packed_struct_is_taken_apart() -> None:
    struct = "!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>"
    module = parse_module(
        f'%0 = "llvm.mlir.poison"() : () -> {struct}\n'
        f'%1 = "llvm.extractvalue"(%0) <{{position = array<i64: 0, 1>}}> : ({struct}) -> i32'
    )
    assert module.body.ops.last.results[0].type == i32
