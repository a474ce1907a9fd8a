"""Random functions of JAX beside NumPy: others each day, by a seed that a failure names."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.day import SEED_VARIABLE, count_of, seed_of_the_day
from support.random_jax import Case, mistakes

SEED, COUNT = seed_of_the_day(), count_of(8)


@pytest.mark.parametrize("number", range(COUNT))
def test_a_random_function_gives_what_numpy_does(number: int, tmp_path: Path) -> None:
    rng = np.random.default_rng([SEED, number])
    case = Case.draw(rng)
    wrong = mistakes(case, tmp_path / f"seed_{SEED}_{number}", rng)
    assert wrong == [], f"{SEED_VARIABLE}={SEED}, function {number}: {case}\n{case.text}"
