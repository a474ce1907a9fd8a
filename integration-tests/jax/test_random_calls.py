"""Random functions of JAX beside NumPy: others each day, by a seed that a failure names."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from support.random_jax import Case, mistakes

SEED = int(os.environ.get("FLYDSL_TEST_SEED", datetime.now(UTC).toordinal()))
COUNT = int(os.environ.get("FLYDSL_TEST_COUNT", "8"))


@pytest.mark.parametrize("number", range(COUNT))
def test_a_random_function_gives_what_numpy_does(number: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([SEED, number])
    case = Case.draw(rng)
    wrong = mistakes(case, tmp_path / f"seed_{SEED}_{number}", rng)
    assert wrong == [], f"FLYDSL_TEST_SEED={SEED}, function {number}: {case}\n{case.text}"
