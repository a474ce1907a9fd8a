"""What the tests of all distributions share."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import numpy as np


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A random generator seeded by the test's node id: a test has the same data alone and among others."""
    import numpy as np  # here: tests of the core run without it

    return np.random.default_rng(zlib.crc32(request.node.nodeid.encode()))
