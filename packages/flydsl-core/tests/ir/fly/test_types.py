"""Types of the dialect: every spelling parses and prints back, malformed ones are diagnosed."""

from __future__ import annotations

import pytest
from xdsl.ir import Attribute
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.fly.types import PointerType, is_static
from flydsl.ir.parse import parse_module

ATOM = "!fly.copy_atom<!fly.universal_copy<128>, 32>"
FMA = "!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>"

SPELLINGS = [
    "!fly.int_tuple<8>",
    "!fly.int_tuple<(8)>",
    "!fly.int_tuple<(4,(?,8))>",
    "!fly.int_tuple<(*,?)>",
    "!fly.int_tuple<(*,*,?,?)>",
    "!fly.int_tuple<?{i64}>",
    "!fly.int_tuple<?{div=16}>",
    "!fly.int_tuple<?{i64 div=8}>",
    "!fly.int_tuple<(1E0,2E0E1)>",
    "!fly.int_tuple<-3>",
    "!fly.layout<(4,8):(1,4)>",
    "!fly.layout<(?,?):(?{i64},1)>",
    "!fly.layout<(?,?):(1E0,1E1)>",
    "!fly.layout<((16,8),4):((32,1),8)>",
    "!fly.layout<(4,2):(4E1,?E0)>",
    "!fly.swizzle<S<3,3,3>>",
    "!fly.coord_swizzle<CS<3,0,[0],3,[1]>>",
    "!fly.coord_swizzle<CS<2,1,[0, 1],4,[1, 0]>>",
    "!fly.composed_layout<S<3,4,3> o 0 o (8,8):(1,8)>",
    "!fly.composed_layout<(8,8):(8,1) o ? o (4,4):(1,4)>",
    "!fly.composed_layout<CS<3,0,[0],3,[1]> o (0,0) o (8,8):(1E0,1E1)>",
    "!fly.composed_layout<S<1,0,3> o 8 o (16,4):(4,1) o 0 o (8,8):(1,8)>",
    "!fly.tile<[8|64]>",
    "!fly.tile<[32:1|4:1]>",
    "!fly.tile<[*|8]>",
    "!fly.tile<[[2|4]|(2,2):(1,4)]>",
    "!fly.basis<1E0>",
    "!fly.basis<2E0E1>",
    "!fly.ptr<f32, global>",
    "!fly.ptr<f32, generic>",
    "!fly.ptr<i8, shared, align<1024>>",
    "!fly.ptr<f16, shared, align<16>, S<3,3,3>>",
    "!fly.ptr<bf16, register, S<3,3,3>>",
    "!fly.ptr<vector<4xf32>, register>",
    "!fly.memref<f32, global, (8,64):(?{i64},1)>",
    "!fly.memref<f32, global, (8,64):(?{i64},1), align<16>>",
    "!fly.memref<f16, shared, (8,64):(64,1), align<16>, S<3,4,3>>",
    "!fly.memref<f16, shared, S<3,3,3> o 0 o (8,64):(64,1), align<16>>",
    "!fly.memref<i1, register, (1,1,1):(0,0,0)>",
    "!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>",
    "!fly.coord_tensor<(?{div=8},?{div=64}), (8,64):(1E0,1E1)>",
    "!fly.coord_tensor<(?,?{div=4}), ((4,1),1,1):((1E1,0),0,0)>",
    "!fly.universal_copy<128>",
    '!fly.universal_atomic<max, i32, "agent">',
    "!fly.universal_atomic<add, f32>",
    "!fly.universal_fma<1x1x1, (f32, f32) -> f32>",
    ATOM,
    FMA,
    f"!fly.tiled_copy<{ATOM}, !fly.layout<((16,8),4):((32,1),8)>, !fly.tile<[8|64]>>",
    f"!fly.tiled_mma<{FMA}, !fly.layout<(16,16,1):(16,1,0)>>",
    f"!fly.tiled_mma<{FMA}, !fly.layout<(16,16,1):(16,1,0)>, !fly.tile<[32|*|(2,4):(4,1)]>>",
]
SMALL_FLOATS = (*("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU", "f6E2M3FN", "f6E3M2FN", "f4E2M1FN"),)

MALFORMED = [
    "!fly.int_tuple",
    "!fly.int_tuple<>",
    "!fly.int_tuple<(4,>",
    "!fly.int_tuple<?{i16}>",
    "!fly.int_tuple<?{div=0}>",
    "!fly.layout<(4,8):(1,4,2)>",
    "!fly.layout<(4,8)>",
    "!fly.swizzle<S<3,3>>",
    "!fly.tile<[8|>",
    "!fly.basis<1>",
    "!fly.ptr<f32>",
    "!fly.ptr<f32, nowhere>",
    "!fly.ptr<f32, global, align<3>>",
    "!fly.ptr<f32, global, align<0>>",
    "!fly.ptr<f32, global, S<3,3,3>, align<16>>",
    "!fly.ptr<5, global>",
    "!fly.ptr<!fly.tile<[8]>, global>",
    "!fly.memref<f32, global>",
    "!fly.memref<f32, global, 8>",
    "!fly.copy_atom<!fly.tile<[8]>, 32>",
    "!fly.copy_atom<!fly.universal_copy<128>, 0>",
    "!fly.universal_copy<-8>",
    "!fly.universal_atomic<swap, i32>",
    "!fly.universal_fma<2x1x1, (f32, f32) -> f32>",
    "!fly.universal_fma<1x1x1, (f32, f16) -> f32>",
    f"!fly.tiled_copy<{ATOM}, !fly.tile<[8]>, !fly.layout<8:1>>",
    "!fly.int_tuple<" + "(" * 5000 + "1" + ")" * 5000 + ">",
    "!fly.no_such_type<1>",
]


def read(text: str) -> Attribute:
    return Parser(create_context(), text).parse_type()


@pytest.mark.parametrize("text", SPELLINGS)
def test_type_prints_what_it_parsed(text: str) -> None:
    assert str(read(text)) == text


@pytest.mark.parametrize("text", SPELLINGS)
def test_equal_spellings_give_equal_types_of_equal_hash(text: str) -> None:
    first, second = read(text), read(text)
    assert first == second
    assert hash(first) == hash(second)


def test_different_types_differ() -> None:
    assert len({read(text) for text in SPELLINGS}) == len(SPELLINGS)


@pytest.mark.parametrize("element", SMALL_FLOATS)
def test_narrow_floats_are_elements_aligned_to_a_byte(element: str) -> None:
    pointer = read(f"!fly.ptr<{element}, global>")
    assert isinstance(pointer, PointerType)
    assert str(pointer) == f"!fly.ptr<{element}, global>"
    assert pointer.align == 1


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_type_is_a_parse_error(text: str) -> None:
    with pytest.raises(ParseError):
        read(text)


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_type_in_a_module_is_an_ir_error_with_a_position(text: str) -> None:
    with pytest.raises(IRError, match=r"^<text>:1:\d+: "):
        parse_module(f'"builtin.unrealized_conversion_cast"() : () -> {text}')


def test_spaces_and_comments_inside_a_type_are_skipped() -> None:
    text = "!fly.memref< f32 , global ,\n // the layout\n ( 8 , 64 ) : ( ?{ i64 } , 1 ) , align<16> >"
    assert str(read(text)) == "!fly.memref<f32, global, (8,64):(?{i64},1), align<16>>"


def test_opaque_spelling_of_a_type_is_accepted() -> None:
    assert str(read("!fly<ptr<f32, global>>")) == "!fly.ptr<f32, global>"


def test_parser_continues_after_a_type() -> None:
    parser = Parser(create_context(), "!fly.swizzle<S<3,3,3>>, !fly.layout<(4,8):(1E0,1E1)> -> i32")
    first = parser.parse_type()
    parser.parse_punctuation(",")
    second = parser.parse_type()
    parser.parse_punctuation("->")
    assert [str(first), str(second), str(parser.parse_type())] == [
        "!fly.swizzle<S<3,3,3>>",
        "!fly.layout<(4,8):(1E0,1E1)>",
        "i32",
    ]


@pytest.mark.parametrize(
    ("text", "static"),
    [
        ("!fly.int_tuple<(4,8)>", True),
        ("!fly.int_tuple<(4,?)>", False),
        ("!fly.layout<(4,8):(1,4)>", True),
        ("!fly.layout<(4,8):(1,?)>", False),
        ("!fly.swizzle<S<3,3,3>>", True),
        ("!fly.tile<[8|64]>", True),
        ("!fly.coord_tensor<(0,0), (4,8):(1E0,1E1)>", True),
        ("!fly.coord_tensor<(0,?), (4,8):(1E0,1E1)>", False),
        ("!fly.ptr<f32, global>", False),
        ("!fly.memref<f32, global, 8:1>", False),
        (ATOM, True),
        (FMA, True),
    ],
)
def test_type_is_static_when_it_holds_everything(text: str, static: bool) -> None:
    assert is_static(read(text)) is static
