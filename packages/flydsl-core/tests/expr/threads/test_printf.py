"""`fx.printf` becomes `fly.print` with a format of places and one operand for each value that is not text."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError


def format_of(run) -> str:
    (line,) = [op for op in run.ops if '"fly.print"' in op]
    return line.split('format = "')[1].split('"}')[0]


@pytest.mark.parametrize(("arguments", "expected"), [
    (("{} at {:5d}",), "{} at {:5d}"),
    ((), "{} {}"),
    (("value",), "value {} {}"),
])  # fmt: skip
def test_places(emitted, arguments, expected):
    assert format_of(emitted(lambda x, n: fx.printf(*arguments, x, n), fx.Float32, fx.Int32)) == expected


def test_unsigned_numbers_are_printed_as_such(emitted):
    run = emitted(lambda a, b: fx.printf("{} {:d} {:x}", a, b, b), fx.Uint8, fx.Uint64)
    assert run.names == ["arith.extui", "fly.print"]
    assert format_of(run) == "{:u} {:u} {:x}"


def test_text_needs_no_operand(emitted):
    run = emitted(lambda n: fx.printf("{}{} {{}}", "a{b}", n), fx.Int32)
    assert format_of(run) == "a{{b}}{} {{}}"


def test_a_format_is_text(emitted):
    def use(n):
        with pytest.raises(FrontendError, match="format_str is text, found 3"):
            fx.printf(n, format_str=3)
        with pytest.raises(FrontendError, match="has 0 places for 1 values"):
            fx.printf(n, format_str="no place")

    emitted(use, fx.Int32)
