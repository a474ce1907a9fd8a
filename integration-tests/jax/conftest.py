"""Four devices of the CPU, for which code is made unless a module of tests has targets of its own."""

from __future__ import annotations

import os

import pytest

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=4"


@pytest.fixture(autouse=True)
def _cpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "target" not in request.fixturenames:
        monkeypatch.setenv("FLYDSL_COMPILE_BACKEND", "cpu")
