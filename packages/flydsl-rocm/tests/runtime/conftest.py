"""A HIP driver that logs its calls: building fake_hip.c, and its variables in the process that loaded it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.fake_driver import FakeDriver, builder


class FakeHip(FakeDriver):
    """A loaded driver."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.properties = self.text("properties", 2048)


@pytest.fixture
def build_driver() -> Callable[..., Path]:
    """Compile the driver to a path."""
    return builder(Path(__file__).with_name("fake_hip.c"))


@pytest.fixture
def attach_driver() -> type[FakeHip]:
    """Find the variables of a driver by its path."""
    return FakeHip
