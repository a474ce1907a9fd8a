"""Random typed arithmetic, conversions, shuffles and shared memory: what a kernel computes equals what NumPy does."""

from __future__ import annotations

import os

import pytest
from support.random_arithmetic import check

PROGRAMS = 200 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 12  # each is compiled


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_arithmetic_equals_numpy(seed, tmp_path):
    check(seed, tmp_path)
