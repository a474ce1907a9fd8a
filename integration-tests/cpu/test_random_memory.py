"""Random kernels on rows of memory, other ones each day: the CPU gives what the interpreter gives, bit for bit."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.day import SEED_VARIABLE, seed_of_the_day
from support.random_memory import program

SEED = seed_of_the_day()
PARTS, PROGRAMS = 8, 30


@pytest.mark.parametrize("part", range(PARTS))
def test_rows_at_dynamic_and_fixed_indices_equal_the_interpreters(part: int, tmp_path: Path) -> None:
    first = SEED * 1000 + part * PROGRAMS
    for seed in range(first, first + PROGRAMS):
        tried = program(seed)
        different = tried.differences(tmp_path, seed)
        assert not different, f"{SEED_VARIABLE}={SEED}, program {seed}: {different} numbers differ\n{tried.text}"
