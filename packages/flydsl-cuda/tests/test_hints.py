"""The hints of this backend: what it takes, and what reaches the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flydsl.base.errors import ArgumentError, SettingError
from flydsl_cuda.hints import fewest_blocks, most_registers


@pytest.mark.parametrize("value", [None, 0, 64, 255])
def test_numbers_of_registers_are_taken(value: int | None) -> None:
    assert most_registers({"maxnreg": value, "waves_per_eu": 2}) == (value or 0)


@pytest.mark.parametrize(
    ("value", "error"), [("64", ArgumentError), (True, ArgumentError), (-1, SettingError), (256, SettingError)]
)
def test_others_are_errors(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="'maxnreg' is a number"):
        most_registers({"maxnreg": value})
    with pytest.raises(error, match="'min_blocks_per_sm' is a number"):
        fewest_blocks({"min_blocks_per_sm": value})


@pytest.mark.parametrize(
    ("hints", "directives"),
    [
        ({"maxnreg": 40}, [".maxnreg 40"]),
        ({"min_blocks_per_sm": 3}, [".minnctapersm 3"]),
        ({"maxnreg": 32, "min_blocks_per_sm": 2}, [".minnctapersm 2", ".maxnreg 32"]),
        ({}, []),
    ],
)
def test_the_numbers_reach_the_kernel(
    kernel: Callable[..., str], ptx: Callable[..., str], hints: dict[str, int], directives: list[str]
) -> None:
    text = ptx(kernel("", ""), options=hints)
    assert [line for line in text.splitlines() if line.startswith((".maxnreg", ".minnctapersm"))] == directives


@pytest.mark.parametrize(
    ("block", "most"), [((1024, 1, 1), 64), ((33, 31, 1), 64), ((300, 1, 1), 200), ((256, 1, 1), 255), (None, 255)]
)
def test_registers_are_no_more_than_a_block_can_have(
    kernel: Callable[..., str], ptx: Callable[..., str], block: tuple[int, int, int] | None, most: int
) -> None:
    assert f".maxnreg {most}\n" in ptx(kernel("", "", block=block), options={"maxnreg": 255})
