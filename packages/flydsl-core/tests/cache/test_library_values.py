"""Values of Python's library by their content."""

from __future__ import annotations

import array
import datetime
import decimal
import os
import uuid
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest

from flydsl.cache.library_values import buffer_content, content_of, decimal_context, environment, is_environment


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (datetime.date(2024, 1, 2), datetime.date(2024, 1, 3)),
        (datetime.datetime(2024, 1, 2, 3), datetime.datetime(2024, 1, 2, 4)),
        (datetime.timedelta(1), datetime.timedelta(2)),
        (decimal.Decimal("1.5"), decimal.Decimal("1.50")),
        (uuid.UUID(int=1), uuid.UUID(int=2)),
        (PurePosixPath("a"), PurePosixPath("b")),
    ],
)
def test_equal_contents_are_equal_values(a: Any, b: Any) -> None:
    first, again, other = content_of(a), content_of(type(a).__copy__(a) if hasattr(a, "__copy__") else a), content_of(b)
    assert first is not None
    assert first == again
    assert first != other


def test_other_values_have_none() -> None:
    assert content_of(object()) is None
    assert buffer_content([1]) is None
    assert buffer_content(np.array([[1], [1, 2]], object)) is None
    assert buffer_content(np.ma.array([1])) is None


def test_arithmetic_of_decimals_depends_on_the_context() -> None:
    before = decimal_context()
    with decimal.localcontext() as context:
        context.prec = 5
        assert decimal_context() != before
    assert decimal_context() == before


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (bytearray(b"ab"), lambda value: value.__setitem__(0, 3)),
        (memoryview(bytearray(b"ab")), lambda value: value.__setitem__(0, 3)),
        (array.array("i", [1]), lambda value: value.__setitem__(0, 3)),
        (np.zeros((2, 3)), lambda value: value.__setitem__((1, 2), 3)),
        (np.zeros((2, 3)).T, lambda value: value.__setitem__((1, 1), 3)),
    ],
)
def test_a_change_of_a_buffer_is_another_answer(value: Any, change: Any) -> None:
    before = buffer_content(value)
    assert before is not None
    assert before.answers is not None
    answer = before.answers()
    assert before.answers() == answer
    change(value)
    assert before.answers() != answer
    after = buffer_content(value)
    assert after is not None
    assert after.parts != before.parts


def test_layout_and_type_of_a_buffer_count() -> None:
    arrays = [np.zeros((2, 3)), np.zeros((3, 2)), np.zeros(6), np.zeros((2, 3), order="F"), np.zeros((2, 3), "i8")]
    contents = [buffer_content(each) for each in arrays]
    assert len({content.parts for content in contents if content is not None}) == len(arrays)


def test_the_environment_is_known_and_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_environment(os.environ)
    assert is_environment(os.getenv)
    assert not is_environment(dict(os.environ))
    answer = environment()
    before = answer()
    monkeypatch.setenv("FLYDSL_OF_A_TEST", "1")
    assert answer() != before
    monkeypatch.delenv("FLYDSL_OF_A_TEST")
    assert answer() == before
