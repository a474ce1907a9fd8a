"""Every public name of `fx.rocdl`, and each that this plugin adds elsewhere, resolves and is what the table says."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest
from support.stable_api import problems, read_entries

TABLE = read_entries(Path(__file__).parents[2] / "data/stable_api.tsv")


def test_the_table_is_whole():
    assert len({entry.name for entry in TABLE}) == 49


@pytest.mark.parametrize("entry", TABLE, ids=str)
def test_name_is_what_the_table_says(entry):
    assert problems(entry) == []


def test_the_import_statement_and_the_attribute_give_the_same_modules():
    import flydsl.expr as fx
    import flydsl.expr.rocdl as words
    import flydsl.expr.rocdl.cdna4 as words_of_cdna4
    from flydsl.expr.rocdl import MFMA, cdna4

    assert words is fx.rocdl
    assert words_of_cdna4 is cdna4 is fx.rocdl.cdna4
    assert MFMA is fx.rocdl.MFMA
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("flydsl.expr.rocdl.nothing")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("flydsl.expr.nothing")
