"""`KernelReport`: sums, groups and JSON."""

from __future__ import annotations

import json

import pytest

from flydsl.plugins import KernelReport

REPORT = KernelReport("k", instructions={"scalar": 3, "vector": 4}, registers={"general": 7}, notes=("A note.",))


def test_the_total_is_the_sum_of_all_classes() -> None:
    assert REPORT.total == 7
    assert KernelReport("empty").total == 0


def test_empty_groups_are_left_out() -> None:
    assert dict(REPORT.groups()) == {"instructions": {"scalar": 3, "vector": 4}, "registers": {"general": 7}}


def test_json_gives_the_report_back() -> None:
    assert KernelReport.from_json(json.loads(json.dumps(REPORT.to_json()))) == REPORT


@pytest.mark.parametrize("data", [{}, {"name": "k", "instructions": {"a": "many"}}])
def test_other_json_is_refused(data: dict[str, object]) -> None:
    with pytest.raises((KeyError, ValueError)):
        KernelReport.from_json(data)
