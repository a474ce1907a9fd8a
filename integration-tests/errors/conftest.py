"""The pair `cpu` + `cpu` for every test of this folder, and its modules on the path."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import flydsl.compiler as flyc

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def cpu_pair(own_choices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for the CPU and run there."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    flyc.use_pair("cpu")
