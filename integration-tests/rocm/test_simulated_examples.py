"""Every example runs on simulated AMD GPUs, the waves of a workgroup in either order, and equals NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support.examples import EXAMPLES, SIZES, load_example

from flydsl_hipsim.bench import HipsimBench


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_equals_numpy_whatever_the_order_of_waves(name: str, hipsim: HipsimBench) -> None:
    example = load_example(name)
    for order in ("forward", "backward"):
        hipsim.set_order(order)
        for size in SIZES[name]:
            example.check(np.random.default_rng(1), *size)
