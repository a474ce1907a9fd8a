"""Every example runs on a simulated gfx942 without anything for the simulator's checks to find."""

from __future__ import annotations

import numpy as np
import pytest
from support.examples import EXAMPLES, SIZES, load_example

from flydsl_hipsim.bench import HipsimBench


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_passes_every_check(name: str, hipsim: HipsimBench) -> None:
    example = load_example(name)
    hipsim.set_check("all")
    hipsim.set_order("random:3")
    for size in SIZES[name]:
        example.check(np.random.default_rng(1), *size)
