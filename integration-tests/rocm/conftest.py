"""The backend `rocm` for every test of this folder; there need not be a device."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc


@pytest.fixture(autouse=True)
def rocm_pair(own_choices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for AMD GPUs."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "rocm")
    flyc.use_pair("rocm")
