"""torch tensors on the pair `cpu` + `cpu`."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc


@pytest.fixture(autouse=True)
def cpu_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for the CPU and run there."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
    flyc.use_pair("cpu")
