"""Every public name of `fx.nvvm` resolves and is what the table says, and the table has them all."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stable_api import Entry, problems, read_entries

import flydsl.expr as fx

TABLE = read_entries(Path(__file__).parents[2] / "data/stable_api.tsv")


def test_the_table_has_all_names() -> None:
    words = [f"flydsl.expr.nvvm.{name}" for name in dir(fx.nvvm)]
    of_hopper = [f"flydsl.expr.nvvm.sm90.{name}" for name in fx.nvvm.sm90.__all__]
    assert sorted(entry.name for entry in TABLE) == sorted(["flydsl.expr.nvvm", *words, *of_hopper])


@pytest.mark.parametrize("entry", TABLE, ids=str)
def test_name_is_what_the_table_says(entry: Entry) -> None:
    assert problems(entry) == []
