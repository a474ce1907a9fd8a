"""The occupancy that compile hints ask for."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl.base.errors import ArgumentError, SettingError
from flydsl_rocm.hints import occupancy


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, (0, 0)), (0, (0, 0)), (3, (3, 0)), ((1, 2), (1, 2)), ([2, 2], (2, 2)), ("1, 8", (1, 8))],
)
def test_waves_are_a_number_or_a_range(value: Any, expected: tuple[int, int]) -> None:
    found = occupancy({"waves_per_eu": value, "maxnreg": None})
    assert (found["waves_per_eu"], found["most_waves_per_eu"], found["registers"]) == (*expected, 0)


@pytest.mark.parametrize(
    ("hints", "error", "words"),
    [
        ({"waves_per_eu": True}, ArgumentError, "'waves_per_eu' is a number, found True"),
        ({"waves_per_eu": "2"}, ArgumentError, "found '2'"),
        ({"waves_per_eu": -1}, SettingError, "from 0 up, found -1"),
        ({"waves_per_eu": (3, 2)}, SettingError, "the least and the most"),
        ({"waves_per_eu": (1, 2, 3)}, SettingError, "the least and the most"),
        ({"maxnreg": 1.5}, ArgumentError, "'maxnreg' is a number"),
    ],
)
def test_other_values_are_refused(hints: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        occupancy(hints)
