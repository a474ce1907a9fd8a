"""Every example runs on simulated GPUs of either kind without anything for the simulator's checks to find."""

from __future__ import annotations

import numpy as np
import pytest
from support.examples import EXAMPLES, SIZES, load_example

from flydsl_hipsim.bench import HipsimBench


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("chip", ["gfx942", "gfx1201"])
def test_an_example_passes_every_check(chip: str, name: str, hipsim: HipsimBench) -> None:
    hipsim.use(chip)
    example = load_example(name)
    hipsim.set_check("all")
    hipsim.set_order("random:3")
    for size in SIZES[name]:
        example.check(np.random.default_rng(1), *size)
