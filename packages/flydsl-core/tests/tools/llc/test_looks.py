"""Code at points: which pass without effect is inserted where, and which code is shown."""

from __future__ import annotations

import pytest

from flydsl.base.errors import SettingError
from flydsl.toolchain.protocol import CodegenPoint, MachinePass
from flydsl.tools.llc.looks import Looks

POINTS = [
    CodegenPoint("tti", 1, "Target Info", False, True),
    CodegenPoint("cse", 1, "Subexpressions", False, False),
    CodegenPoint("isel", 1, "Selection", True, False),
    CodegenPoint("copies", 1, "Copies", True, False, ("pre-ra",)),
    CodegenPoint("copies", 2, "Copies", True, False),
    CodegenPoint("", 0, "Printer", True, False, ("pre-emit2",)),
]


def test_llvm_ir_and_machine_code_are_looked_at_by_passes_over_them() -> None:
    looks = Looks(POINTS, ["isel", "cse", "copies#2"], ["isel", "pre-emit2"])
    assert looks.requests == [
        MachinePass("safe-stack", "isel", "before"),
        MachinePass("safe-stack", "cse", "before"),
        MachinePass("fentry-insert", "copies", "before", 2),
        MachinePass("fentry-insert", "isel", "after"),
        MachinePass("fentry-insert", "pre-emit2"),
    ]


def test_the_code_of_other_passes_is_not_shown() -> None:
    looks = Looks(POINTS, [], ["isel", "pre-ra"])
    for stage, code in (("mine_before", "1"), ("mine_after", "2")):
        looks.record(stage, code)
    for stage, code in (("x_before", "3"), ("x_after", "3"), ("x_before", "4"), ("x_after", "4")):
        looks.record(stage, code)
    assert list(looks.texts()) == ["; code at after:isel\n3", "; code at pre-ra\n4"]


def test_code_of_no_function_has_no_text() -> None:
    assert list(Looks(POINTS, [], ["isel"]).texts()) == []


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("iselect", "--print-after iselect: .* no such point; did you mean 'isel'"),
        ("pre-rb", "did you mean 'pre-ra'"),
        ("tti", "no such point"),
        ("zzz", "--list-points shows them all"),
    ],
)
def test_unknown_points_are_errors_with_near_names(point: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        Looks(POINTS, [], [point])
