"""The dialect of trace annotations: what verifies."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.emit import emit_generic
from flydsl.ir.ktrace import KTRACE
from flydsl.ir.parse import parse_module

BODY = """
  fly_ktrace.mark(%x) {{label = "a"}} : ({type_}) -> ()
  fly_ktrace.range_push() {{label = "a"}} : () -> ()
  %t = fly_ktrace.range_start() {{label = "b"}} : () -> !fly_ktrace.token
  %n = fly_ktrace.inactive_token() : () -> !fly_ktrace.token
  fly_ktrace.range_stop({stopped}) : ({stopped_type}) -> ()
  fly_ktrace.range_pop() : () -> ()
"""


def module(type_: str = "i32", stopped: str = "%t", stopped_type: str = "!fly_ktrace.token") -> str:
    body = BODY.format(type_=type_, stopped=stopped, stopped_type=stopped_type)
    return emit_generic(parse_module(f"func.func @f(%x: {type_}) {{\n{body}\n  return\n}}"))


@pytest.mark.parametrize("type_", ["i32", "i64"])
def test_each_operation_of_the_dialect_parses(type_: str) -> None:
    text = module(type_)
    assert all(f'"{op.name}"' in text for op in KTRACE.operations)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type_": "f32"}, r"operand 0 of fly_ktrace.mark must be i32 or i64, found f32"),
        ({"stopped": "%x", "stopped_type": "i32"}, "token"),
    ],
)
def test_operands_are_integers_and_tokens(change: dict[str, str], message: str) -> None:
    with pytest.raises(IRError, match=message):
        module(**change)
