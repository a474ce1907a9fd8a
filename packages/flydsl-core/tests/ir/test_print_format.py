"""The format of a print comes apart into text and fields, or says why not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flydsl.base.errors import IRError
from flydsl.ir.print_format import Field, escaped, parse_format


def test_text_and_fields_in_order() -> None:
    assert [part for part in parse_format("a {{{}}} {:-8.3f}%", 2) if part] == [
        "a ", "{", Field("", ""), "}", " ", Field("-8.3", "f"), "%",
    ]  # fmt: skip


@given(st.text("ab{}:"))
def test_escaped_text_is_printed_as_it_is(text: str) -> None:
    assert "".join(map(str, parse_format(escaped(text), 0))) == text


@pytest.mark.parametrize("field", ["{}", "{:x}", "{:+08.3e}", "{:5}"])
def test_a_field_is_written_as_it_was_read(field: str) -> None:
    assert "".join(map(str, parse_format(field, 1))) == field


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{} {}", "has 2 places for 1 values"),
        ("none", "has 0 places for 1 values"),
        ("{} {", "has a lone '{'; write it twice"),
        ("} {}", "has a lone '}'; write it twice"),
        ("{0}", "printf knows no place {0}"),
        ("{:>5}", "printf knows no place {:>5}"),
    ],
)
def test_what_is_no_format_is_refused(text: str, message: str) -> None:
    with pytest.raises(IRError, match=message):
        parse_format(text, 1)
