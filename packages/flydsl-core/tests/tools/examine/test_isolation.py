"""Plugins in processes of their own."""

from __future__ import annotations

import pytest

from flydsl.plugins.entry_points import EntryPoint
from flydsl.tools.examine.isolation import deadly, main


def test_a_plugin_that_answers_is_not_told_of(capsys: pytest.CaptureFixture[str]) -> None:
    entry = EntryPoint("core", "flydsl-core", "1.0", "flydsl.adaptors.plugin")
    assert list(deadly([entry])) == []
    assert main(list(entry)) == 0
    assert "ended by itself" in capsys.readouterr().out


def test_an_import_that_fails_is_no_end_of_a_process() -> None:
    assert list(deadly([EntryPoint("none", "none", "", "flydsl_no_such_module")])) == []
