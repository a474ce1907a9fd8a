"""What tells measurements apart: settings, installed code and the device."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from flydsl.autotune.fingerprints import (
    device_descriptor,
    device_fingerprint,
    env_fingerprint,
    toolchain_fingerprint,
)
from flydsl.testing.fakes import fake_backend, fake_runtime

if TYPE_CHECKING:
    from flydsl.testing.sandbox import PluginSandbox


def test_settings_that_shape_code_are_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "2")
    before = env_fingerprint()
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "1")
    assert env_fingerprint() != before
    monkeypatch.setenv("FLYDSL_COMPILE_OPT_LEVEL", "2")
    assert env_fingerprint() == before
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "fake2")
    assert env_fingerprint() != before


def test_the_device_is_described(isolated_plugins: PluginSandbox) -> None:
    isolated_plugins.register(fake_backend(), fake_runtime())
    assert device_descriptor() == {"name": "fake 0", "arch": "fake1", "compute_units": 0}
    assert json.loads(device_fingerprint()) == {"runtime": "fake", **device_descriptor()}
    assert len(toolchain_fingerprint()) == 64


def test_no_device_and_no_backend_are_states(isolated_plugins: PluginSandbox) -> None:
    assert (toolchain_fingerprint(), device_fingerprint()) == ("", "none")
    isolated_plugins.register(fake_backend(), fake_runtime(devices=0))
    assert device_fingerprint() == "none"
    with pytest.raises(RuntimeError, match="has no device"):
        device_descriptor()
