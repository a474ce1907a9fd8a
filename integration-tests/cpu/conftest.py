"""The pair `cpu` + `cpu` for every test of this folder."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc


@pytest.fixture(autouse=True)
def cpu_pair(own_choices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for the CPU and run there."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    flyc.use_pair("cpu")
