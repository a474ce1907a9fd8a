"""The backend `cuda` for every test of this folder; there need not be a device."""

from __future__ import annotations

import pytest

import flydsl.compiler as flyc


@pytest.fixture(autouse=True)
def cuda_pair(own_choices: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compile for NVIDIA GPUs."""
    monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cuda")
    flyc.use_pair("cuda")
