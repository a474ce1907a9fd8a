"""Every public name of `fx.rocdl` resolves and is what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest

from flydsl.testing.stable_api import problems, read_entries

TABLE = read_entries(Path(__file__).parents[1] / "data/stable_api.tsv")


def test_the_table_is_whole():
    assert len({entry.name for entry in TABLE}) == 47


@pytest.mark.parametrize("entry", TABLE, ids=str)
def test_name_is_what_the_table_says(entry):
    assert problems(entry) == []
