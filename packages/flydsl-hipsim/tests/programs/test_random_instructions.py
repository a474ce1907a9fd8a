"""Random programs: what the engine leaves in registers and memory against the reference interpreter, bit for bit."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ..reference.check import known, trial
from ..reference.chips import CHIPS

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
SEEDS, LENGTH, BATCH = (400, 400, 40) if NIGHTLY else (4, 400, 4)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_random_instructions_do_what_the_reference_does(chip: str, first: int, tmp_path: Path) -> None:
    differences = [
        text for seed in range(first, first + BATCH) for text in trial(seed, chip, LENGTH, tmp_path).differences
    ]
    assert not differences, "\n".join(differences[:20])


@pytest.mark.parametrize(("chip", "seed"), [("gfx942", 98), ("gfx950", 244), ("gfx1250", 109)])
def test_seeds_that_found_a_defect_once_find_none(chip: str, seed: int, tmp_path: Path) -> None:
    differences = trial(seed, chip, LENGTH, tmp_path).differences
    assert not differences, "\n".join(differences[:20])


def names_of(chip: str) -> set[str]:
    return {name.removesuffix(" clamp") for name, _ in known(chip)}


@pytest.mark.parametrize(("chip", "least"), [("gfx942", 867), ("gfx950", 889), ("gfx1100", 856), ("gfx1201", 943)])
def test_the_reference_has_most_instructions_of_each_chip(chip: str, least: int) -> None:
    assert len(names_of(chip)) >= least


@pytest.mark.parametrize("chip", CHIPS)
def test_every_name_and_form_of_the_reference_does_what_it_says(chip: str, tmp_path: Path) -> None:
    found = trial(1, chip, 0, tmp_path)
    assert not found.differences, "\n".join(found.differences[:20])
    assert names_of(chip) <= {name.replace("_rtn", "") for name in found.names} | found.names
