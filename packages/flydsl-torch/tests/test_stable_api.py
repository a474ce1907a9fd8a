"""Every public name that this plugin adds resolves and is what the table says."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stable_api import problems, read_entries

import flydsl.torch

TABLE = read_entries(Path(__file__).parent / "data/stable_api.tsv")


def test_the_table_is_whole():
    names = ["flydsl.compiler.from_torch_tensor", *(f"flydsl.torch.{name}" for name in flydsl.torch.__all__)]
    assert [entry.name for entry in TABLE] == names


@pytest.mark.parametrize("entry", TABLE, ids=str)
def test_name_is_what_the_table_says(entry):
    assert problems(entry) == []
