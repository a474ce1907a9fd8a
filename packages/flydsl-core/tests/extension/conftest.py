"""Makes `interpreted`, which the tests of `flydsl.expr` have, importable by its name; warps of 32 threads."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "expr"))


@pytest.fixture(autouse=True)
def warps_of_32(fake_device: object) -> None:
    """The interpreter works for the fake backend."""
