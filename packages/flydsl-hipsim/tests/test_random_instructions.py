"""Random programs: what the engine leaves in registers against the reference interpreter, bit for bit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .reference.check import known, trial

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
SEEDS, LENGTH = (2000, 400) if NIGHTLY else (16, 400)


@pytest.mark.parametrize("first", range(0, SEEDS, 8))
def test_random_instructions_do_what_the_reference_does(first: int, tmp_path: Path) -> None:
    differences = [
        text for seed in range(first, first + 8) for text in trial(seed, "gfx942", LENGTH, tmp_path).differences
    ]
    assert not differences, "\n".join(differences[:20])


def test_the_reference_has_most_instructions_of_the_vector_and_scalar_units() -> None:
    names = {name for name, _ in known("gfx942")}
    assert len(names) > 550
    forms = [form for _, form in known("gfx942")]
    assert all(forms.count(form) >= least for form, least in (("sdwa", 200), ("dpp", 90), ("scalar", 100), ("lds", 45)))
