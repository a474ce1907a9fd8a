"""What plugins say of themselves to the conformance suite, checked when it is made."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.plugins import Conformance


def test_lists_become_tuples_and_nothing_is_needed() -> None:
    assert Conformance(targets=["a", "b"]).targets == ("a", "b")  # type: ignore[arg-type]
    assert Conformance() == Conformance(targets=(), devices=(), without={}, known={})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"targets": "sm"}, "targets of a Conformance is architecture names, found 'sm'"),
        ({"devices": ("",)}, "devices of a Conformance is architecture names"),
        ({"known": ["test_a"]}, "known of a Conformance maps names to reasons"),
        ({"known": {"test_a": " "}}, "known of a Conformance maps names to reasons"),
        ({"without": {"DEVICE": 3}}, "without of a Conformance maps names to reasons"),
    ],
)
def test_others_are_errors(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        Conformance(**given)
