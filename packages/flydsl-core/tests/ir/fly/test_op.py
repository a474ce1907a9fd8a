"""Every operation in its own and in generic syntax: what is parsed is printed, wrong operations are diagnosed."""

from __future__ import annotations

import pytest
from fly_cases import ATOM, CASES, GLOBAL, TILED_COPY, Case
from xdsl.dialects.builtin import ModuleOp, UnrealizedConversionCastOp

from flydsl.base.errors import IRError
from flydsl.ir.emit import emit_generic
from flydsl.ir.fly import Fly
from flydsl.ir.parse import parse_module


def operation_lines(module: ModuleOp) -> list[str]:
    return [str(op) for op in module.body.ops if not isinstance(op, UnrealizedConversionCastOp)]


def without_names(line: str) -> str:
    return line.partition(" = ")[2] or line


def test_every_operation_has_a_case() -> None:
    of_targets = {"fly.atom.set_value"}  # needs an atom with state: see test_atoms.py
    assert {case.name for case in CASES} == {op.name for op in Fly.operations} - of_targets


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.line)
def test_operation_prints_what_it_parsed(case: Case) -> None:
    (printed,) = operation_lines(parse_module(case.text))
    expected = without_names(case.line)
    operands = dict(enumerate(case.operands))
    for number in operands:
        assert f"%{number}" in printed
    assert without_names(printed) == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.line)
def test_generic_text_of_an_operation_reads_back(case: Case) -> None:
    module = parse_module(case.text)
    text = emit_generic(module)
    again = parse_module(text)
    assert again.is_structurally_equivalent(module)
    assert emit_generic(again) == text


WRONG = [
    ("", "fly.static() : () -> i32", "Expected ':'"),
    ("", "%r = fly.static : !fly.int_tuple<?>", "fly.static makes values of static types"),
    ("", "%r = fly.static : !fly.ptr<f32, global>", "fly.static makes values of static types"),
    (
        "i32",
        "%r = fly.make_int_tuple(%0) : (i32) -> !fly.int_tuple<(?,?)>",
        r"take 2 operands, i32 or i64, found \(i32\)",
    ),
    ("i16", "%r = fly.make_int_tuple(%0) : (i16) -> !fly.int_tuple<?>", r"take 1 operands, i32 or i64, found \(i16\)"),
    ("i32", "%r = fly.make_int_tuple(%0) : (i32) -> i32", "makes an int_tuple, found i32"),
    (
        "!fly.int_tuple<(4,8)>",
        "%r = fly.size(%0) : (!fly.int_tuple<(4,8)>) -> !fly.int_tuple<31>",
        "fly.size gives !fly.int_tuple<32>, but its result is declared as !fly.int_tuple<31>",
    ),
    (
        "!fly.int_tuple<(4,8)>",
        "%r = fly.make_layout(%0) : (!fly.int_tuple<(4,8)>) -> !fly.layout<(4,8):(1,4)>",
        r"takes \(shape, stride\), found 1 operands",
    ),
    (
        "!fly.int_tuple<(4,8)>; !fly.int_tuple<1>",
        "%r = fly.make_layout(%0, %1) : (!fly.int_tuple<(4,8)>, !fly.int_tuple<1>) -> !fly.layout<(4,8):(1,4)>",
        r"make_layout\(",
    ),
    ("f32", "%r = fly.size(%0) : (f32) -> !fly.int_tuple<1>", "expected an int_tuple, layout, tile, swizzle or tensor"),
    (
        "!fly.layout<(4,8):(1,4)>",
        "%r = fly.get(%0) : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<4:1>",
        "needs the attribute 'mode'",
    ),
    (
        "!fly.layout<(4,8):(1,4)>",
        "%r = fly.get(%0) {mode = 1.0 : f32} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<4:1>",
        "attribute 'mode' of fly.get cannot be",
    ),
    (
        "!fly.layout<(4,8):(1,4)>",
        "%r = fly.select(%0) {indices = array<i32: 9>} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<4:1>",
        "select",
    ),
    ("f32", "%r = fly.ptr.load(%0) : (f32) -> f32", "operand 0 of fly.ptr.load must be a ptr, found f32"),
    ("i32", "%r = fly.inttoptr(%0) : (i32) -> i64", "the result of fly.inttoptr must be a ptr, found i64"),
    (
        f"f16; {GLOBAL}; !fly.int_tuple<(0,0)>",
        f"fly.memref.store(%0, %1, %2) : (f16, {GLOBAL}, !fly.int_tuple<(0,0)>) -> ()",
        "fly.memref.store of f16 into a tensor of f32",
    ),
    (
        GLOBAL,
        f"%r = fly.memref.load_vec(%0) : ({GLOBAL}) -> vector<4xf32>",
        "a vector needs a static shape",
    ),
    ("", f"%r = fly.make_copy_atom {{valBits = 16 : i32}} : {ATOM}", "makes a copy_atom of 16 bits"),
    ("", f"%r = fly.make_mma_atom : {ATOM}", "makes an mma_atom"),
    (
        f"{TILED_COPY}; {GLOBAL}; {GLOBAL}",
        f"%r = fly.tiled_copy.partition_src(%0, %1, %2) : ({TILED_COPY}, {GLOBAL}, {GLOBAL}) -> {GLOBAL}",
        "operand 2 must be fly.int_tuple",
    ),
    (
        f"{ATOM}; i32",
        f'%r = fly.atom.set_value(%0, %1) {{field = "soffset"}} : ({ATOM}, i32) -> {ATOM}',
        "has no field 'soffset'",
    ),
    (
        f"{ATOM}; i32",
        f"%r = fly.copy_atom_call_ssa(%0, %1) : ({ATOM}, i32) -> i32",
        "needs operandSegmentSizes of 4 numbers",
    ),
    (
        f"{ATOM}; i32",
        f"%r = fly.copy_atom_call_ssa(%0, %1) {{operandSegmentSizes = array<i32: 1, 1, 1, 0>}} : ({ATOM}, i32) -> i32",
        "does not add up to 2 operands",
    ),
    ("i32", "fly.mma.make_fragment(e, %0) : (i32) -> i32", "Expected `a`, `b`, `c`, or `d`"),
    ("", "fly.no_such_op() : () -> ()", "is not registered"),
]


@pytest.mark.parametrize(("operands", "line", "message"), WRONG, ids=lambda value: value[:60])
def test_wrong_operation_is_an_ir_error(operands: str, line: str, message: str) -> None:
    case = Case(tuple(operands.split("; ")) if operands else (), "", "()")
    definitions = case.text.removesuffix(case.line)
    with pytest.raises(IRError, match=message):
        parse_module(definitions + line)


def test_properties_in_generic_text_are_attributes() -> None:
    (line,) = operation_lines(
        parse_module(
            '%0 = "builtin.unrealized_conversion_cast"() : () -> !fly.layout<(4,8):(1,4)>\n'
            '%1 = "fly.get"(%0) <{mode = array<i32: 1>}> : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>'
        )
    )
    assert line == "%0 = fly.get(%1) {mode = array<i32: 1>} : (!fly.layout<(4,8):(1,4)>) -> !fly.layout<8:4>"


def test_operands_and_attributes_are_read_by_name() -> None:
    module = parse_module(next(case for case in CASES if case.call.startswith("fly.copy_atom_call_ssa(%0, %1)")).text)
    call = module.body.ops.last
    assert call.atom is call.operands[0]
    assert call.src is call.operands[1]
    assert call.dst is None
    assert call.pred is None
    take = parse_module(next(case for case in CASES if case.name == "fly.take").text).body.ops.last
    assert (take.begin, take.end) == (1, 3)
