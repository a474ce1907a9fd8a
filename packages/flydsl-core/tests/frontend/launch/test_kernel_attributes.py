"""Attributes of kernels and launches, from Python values."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.builtin import StringAttr

from flydsl.base.errors import FrontendError
from flydsl.frontend.launch.kernel_attributes import given_attributes


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"), (2, "2 : i32"), (-3, "-3 : i32"), (1.5, "1.500000e+00 : f32"), ("a,b", '"a,b"'),
        ([64, 1, 1], "array<i32: 64, 1, 1>"), (["x", ["y", "1"]], '["x", ["y", "1"]]'),
        ([True, False], "[true, false]"),
        (StringAttr("own"), '"own"'),
    ],
)  # fmt: skip
def test_a_value_becomes_an_attribute_of_its_kind(value: Any, text: str) -> None:
    assert str(given_attributes(None, {"some.name": value})["some.name"]) == text


def test_unit_attributes_are_names() -> None:
    assert {name: str(value) for name, value in given_attributes(["a.b", "c"], None).items()} == {
        "a.b": "unit",
        "c": "unit",
    }


@pytest.mark.parametrize(
    ("units", "values", "words"),
    [
        ("name", None, "unit_attrs is a list of names"),
        (None, ["name"], "value_attrs is a dictionary"),
        ([1], None, "found 1"),
        (None, {"sym_name": "other"}, "not one of its own parts, found 'sym_name'"),
        (["a"], {"a": 1}, "'a' is in unit_attrs and in value_attrs"),
        (None, {"a": object()}, "attribute 'a' of a kernel is a bool, int"),
        (None, {"a": 1 << 40}, "attribute 'a'"),
    ],
)
def test_what_is_no_attribute_is_refused(units: Any, values: Any, words: str) -> None:
    with pytest.raises(FrontendError, match=words):
        given_attributes(units, values)
