"""The reader of type parameters: what comes next, and errors at their column."""

from __future__ import annotations

import pytest
from xdsl.parser import Parser

from flydsl.base.errors import IRError
from flydsl.ir.context import create_context
from flydsl.ir.fly.reader import Reader
from flydsl.ir.parse import parse_type
from flydsl.layout import Layout
from flydsl.layout.parse import parse_layout_at


def reader(text: str) -> Reader:
    return Reader(Parser(create_context(), text))


def test_words_numbers_strings_and_signs_are_read_in_order() -> None:
    r = reader('name , -12 // comment\n "a b" true i32')
    assert r.word() == "name"
    assert r.accept(",")
    assert not r.accept(",")
    assert r.integer() == -12
    assert r.string() == "a b"
    assert r.boolean() is True
    assert r.attribute() == parse_type("i32")


def test_a_layout_is_read_where_it_stands() -> None:
    r = reader("(4,8):(1,4) > rest")
    assert r.payload(parse_layout_at) == Layout((4, 8), (1, 4))
    r.expect(">")
    assert r.word() == "rest"


def test_text_up_to_the_bracket_that_closes_it() -> None:
    r = reader(" a = <b = <c>>, d > rest")
    assert r.balanced() == "a = <b = <c>>, d"
    r.expect(">")
    assert r.word() == "rest"
    with pytest.raises(Exception, match="expected '>', found end of input"):
        reader("a <b>").balanced()


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("!fly.copy_atom<!fly.universal_copy<x>, 32>", 36, "x"),
        ("!fly.layout<(4,8):(1,>", 22, "expected|found"),
        ("!fly.ptr<f32, nowhere>", 15, "nowhere"),
    ],
)
def test_an_error_points_at_the_text(text: str, column: int, message: str) -> None:
    with pytest.raises(IRError, match=message) as caught:
        parse_type(text)
    diagnostic = caught.value.diagnostic
    assert diagnostic is not None
    assert abs(diagnostic.column - column) <= 1


def test_what_is_expected_is_said_with_what_was_found() -> None:
    for read, message in (
        (lambda r: r.expect("<"), "expected '<', found '5'"),
        (lambda r: r.word("a name"), "expected a name, found '5'"),
    ):
        with pytest.raises(Exception, match=message):
            read(reader("5"))  # type: ignore[no-untyped-call]
