"""Text to modules: malformed text is an `IRError` that shows where, verification errors show the user's line."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from fly_cases import CASES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from upstream_cases import HOST_AND_KERNEL
from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, i32

from flydsl.base.errors import IRError
from flydsl.base.location import Location
from flydsl.ir.location import set_location
from flydsl.ir.parse import parse_module, parse_type, verify

TEXTS = [*(case.text for case in CASES), HOST_AND_KERNEL]
SCRAPS = [
    "",
    "(",
    ")",
    "<",
    ">",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "*",
    "E0",
    "0x",
    '"',
    "#",
    "!",
    "%",
    "^",
    "@",
    "-",
    "9" * 30,
]
SCRAPS += ["!fly.", "S<", "align<", "loc(", " : ", "->", "\\", "\0", "é", "//", "fly.get", "array<i32: ", "dense<"]


@given(data=st.data())
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_text_is_an_ir_error_or_still_a_module(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        stop = min(len(text), start + data.draw(st.integers(0, 6)))
        text = text[:start] + data.draw(st.sampled_from(SCRAPS)) + text[stop:]
    with suppress(IRError):
        parse_module(text)


@given(text=st.text(max_size=60))
def test_noise_is_an_ir_error(text: str) -> None:
    with pytest.raises(IRError):
        parse_module(f"!{text}")


def test_error_shows_file_line_column_and_caret() -> None:
    with pytest.raises(IRError) as caught:
        parse_module("%0 = fly.static : !fly.layout<(4,8):(1,4)>\n%1 = fly.static : !fly.tile<[8|>", name="kernel.mlir")
    first, source, caret = str(caught.value).split("\n")
    assert first == "kernel.mlir:2:32: expected an integer, '?', '*' or '(', found '>'"
    assert source == "    %1 = fly.static : !fly.tile<[8|>"
    assert caret == " " * (4 + 31) + "^"


def test_undefined_value_is_an_ir_error() -> None:
    with pytest.raises(IRError, match="values used but not defined"):
        parse_module("fly.print(%x) : (i32) -> ()")


def test_empty_text_is_an_ir_error() -> None:
    with pytest.raises(IRError):
        parse_module("")


def test_open_quote_is_diagnosed_at_once() -> None:
    with pytest.raises(IRError, match="string literal"):
        parse_module('%0 = "' + "a" * 5000 + "\n")


def test_type_is_read_alone() -> None:
    assert str(parse_type("!fly.ptr<f32, global>")) == "!fly.ptr<f32, global>"
    with pytest.raises(IRError, match="expected the end"):
        parse_type("!fly.ptr<f32, global> i32")
    with pytest.raises(IRError, match=r"^<type>:1:15: unknown address space 'here'"):
        parse_type("!fly.ptr<f32, here>")


def test_check_can_be_left_out() -> None:
    wrong = '%0 = "fly.static"() : () -> !fly.int_tuple<?>'
    assert parse_module(wrong, check=False).body.ops.first is not None
    with pytest.raises(IRError, match="makes values of static types"):
        parse_module(wrong)


def test_verification_error_shows_the_line_of_the_user(tmp_path: Path) -> None:
    source = tmp_path / "kernel.py"
    source.write_text("def f():\n    return a + b\n")
    module = parse_module("%0 = arith.constant 1 : i32")
    value = module.body.ops.last.results[0]
    add = arith.AddiOp.create(operands=[value, value], result_types=[f32])
    set_location(add, Location(str(source), 2, 11))
    module.body.block.add_op(add)
    with pytest.raises(IRError) as caught:
        verify(module)
    assert f"--> {source}:2:12" in str(caught.value)
    assert "    return a + b" in str(caught.value)


def test_operations_at_top_level_become_a_module() -> None:
    module = parse_module("%0 = arith.constant 1 : i32")
    assert [op.results[0].type for op in module.body.ops] == [i32]


@pytest.mark.parametrize("width", ["16777216", "32147483648", "9" * 5000])
def test_integer_types_have_a_greatest_width(width: str) -> None:
    with pytest.raises(IRError, match="integer bitwidth is limited to 16777215 bits"):
        parse_module(f"func.func private @f(i{width})")
