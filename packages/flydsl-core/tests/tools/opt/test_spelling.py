"""Fly operations in their own syntax and in generic form: each is the other's inverse, and the rest stays."""

from __future__ import annotations

import pytest

from flydsl.ir.context import create_context
from flydsl.tools.opt.spelling import Spelling

PAIRS = [
    ("%l = fly.static : !fly.layout<4:1>", '%l = "fly.static"() : () -> !fly.layout<4:1>'),
    (
        "%n = fly.size(%l) : (!fly.layout<4:1>) -> !fly.int_tuple<4>",
        '%n = "fly.size"(%l) : (!fly.layout<4:1>) -> !fly.int_tuple<4>',
    ),
    (
        "%a = fly.append<4>(%l, %u) : (!fly.layout<4:1>, !fly.layout<1:0>) -> !fly.layout<(4,1):(1,0)>",
        '%a = "fly.append"(%l, %u) {n = 4 : i32} : (!fly.layout<4:1>, !fly.layout<1:0>) -> !fly.layout<(4,1):(1,0)>',
    ),
    (
        "fly.ptr.store(%v, %p) : (f32, !fly.ptr<f32, global>) -> ()",
        '"fly.ptr.store"(%v, %p) : (f32, !fly.ptr<f32, global>) -> ()',
    ),
    (
        '%b = fly.atom.set_value(%a, "soffset", %v) : (!fly.copy_atom<x, 32>, i32) -> !fly.copy_atom<x, 32>',
        '%b = "fly.atom.set_value"(%a, %v) {field = "soffset"} : (!fly.copy_atom<x, 32>, i32) -> !fly.copy_atom<x, 32>',
    ),
    ("%s = fly.get_dyn_shared() : !fly.ptr<i8, shared>", '%s = "fly.get_dyn_shared"() : () -> !fly.ptr<i8, shared>'),
    (
        "%f = fly.mma.make_fragment(a, %m, %t, stages = 2) : (!m, !t) -> !f",
        '%f = "fly.mma.make_fragment"(%m, %t) {operand_id = #fly<mma_operand a>, stages = 2 : i32} : (!m, !t) -> !f',
    ),
    (
        "%d = fly.mma_atom_call_ssa(%m, %a, %b, %c) : (!m, f32, f32, f32) -> f32",
        '%d = "fly.mma_atom_call_ssa"(%m, %a, %b, %c) : (!m, f32, f32, f32) -> f32',
    ),
    (
        "fly.mma_atom_call_ssa(%m, %a, %b, %c) dst = %d : (!m, f32, f32, f32, !t) -> ()",
        '"fly.mma_atom_call_ssa"(%m, %a, %b, %c, %d) : (!m, f32, f32, f32, !t) -> ()',
    ),
]

OLDER = [
    ('%b = fly.atom.set_value(%a, %v) {field = "soffset"} : (!a, i32) -> !a', PAIRS[4][1]),
    ("%s = fly.get_dyn_shared() : () -> !fly.ptr<i8, shared>", PAIRS[5][1]),
    (
        "fly.mma_atom_call_ssa(%m, %d, %a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}\n"
        " : (!m, !t, f32, f32, f32) -> ()",
        PAIRS[8][1],
    ),
]


@pytest.fixture
def spelling() -> Spelling:
    return Spelling([], create_context())


def plain(text: str) -> str:
    """Without the spaces that both forms may have or not."""
    return " ".join(text.split())


@pytest.mark.parametrize(("custom", "generic"), PAIRS)
def test_each_form_gives_the_other(spelling: Spelling, custom: str, generic: str) -> None:
    assert plain(spelling.generic(custom)) == generic
    assert plain(spelling.custom(generic)) == custom


@pytest.mark.parametrize(("older", "generic"), OLDER)
def test_older_spellings_are_read_too(spelling: Spelling, older: str, generic: str) -> None:
    assert plain(spelling.generic(older)) == generic.replace("!fly.copy_atom<x, 32>", "!a")


def test_strings_comments_and_other_dialects_stay(spelling: Spelling) -> None:
    text = '%s = "a.b"() {x = "fly.size(%l) : "} : () -> i32 // fly.static : x\n%y = arith.addi %a, %b : i32'
    assert spelling.generic(text) == text
    assert spelling.custom(text) == text


def test_lines_stay_lines(spelling: Spelling) -> None:
    text = "%n = fly.size(%l)\n    : (!fly.layout<4:1>)\n  -> !fly.int_tuple<4>\nreturn"
    found = spelling.generic(text)
    assert found.count("\n") == text.count("\n")
    assert found.startswith('%n = "fly.size"(%l)')
