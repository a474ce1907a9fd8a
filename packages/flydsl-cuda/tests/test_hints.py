"""The hint of this backend: what it takes, and what reaches the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flydsl.base.errors import ArgumentError, SettingError
from flydsl_cuda.hints import most_registers
from flydsl_cuda.pipeline import fragments
from flydsl_cuda.target import target_of


@pytest.mark.parametrize("value", [None, 0, 64, 255])
def test_numbers_of_registers_are_taken(value: int | None) -> None:
    assert most_registers({"maxnreg": value, "waves_per_eu": 2}) == (value or 0)


@pytest.mark.parametrize(
    ("value", "error"), [("64", ArgumentError), (True, ArgumentError), (-1, SettingError), (256, SettingError)]
)
def test_others_are_errors(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="'maxnreg' is a number"):
        most_registers({"maxnreg": value})


def test_the_number_reaches_the_kernel(kernel: Callable[..., str], ptx: Callable[..., str]) -> None:
    (conversion,) = (f for f in fragments(target_of("sm_90a"), {"maxnreg": 40}) if "convert-fly" in f)
    assert ".maxnreg 40" in ptx(kernel("", ""), options=conversion.removeprefix("convert-fly-to-nvvm"))
    assert ".maxnreg" not in ptx(kernel("", ""))
