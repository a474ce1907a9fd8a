"""Tuples of types, for any number of values."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl.compiler.call.type_tuples import TYPE_TUPLE


@pytest.mark.parametrize("values", [(), (1,), (1, "a", None), tuple(range(300))])
def test_they_are_the_types_in_order(values: tuple[Any, ...]) -> None:
    assert TYPE_TUPLE[len(values)](*values) == tuple(map(type, values))
    assert TYPE_TUPLE[len(values)] is TYPE_TUPLE[len(values)]
