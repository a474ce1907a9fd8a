"""The seed of the day: generated programs are others each day, and a variable of the environment repeats a day."""

from __future__ import annotations

import os
from datetime import UTC, datetime

SEED_VARIABLE, COUNT_VARIABLE = "RANDOM_TESTS_SEED", "RANDOM_TESTS_COUNT"


def seed_of_the_day() -> int:
    """The day as a number such as 20261129, or the one that RANDOM_TESTS_SEED says."""
    return int(os.environ.get(SEED_VARIABLE) or f"{datetime.now(UTC):%Y%m%d}")


def count_of(usual: int) -> int:
    """How many programs: as many as usual, or as RANDOM_TESTS_COUNT says."""
    return int(os.environ.get(COUNT_VARIABLE) or usual)
