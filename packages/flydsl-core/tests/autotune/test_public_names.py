"""What programs replace in `flydsl.autotune`."""

from __future__ import annotations

import pytest

import flydsl.autotune
from flydsl.autotune.public_names import public_names


def test_names_are_those_of_the_package_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert public_names() is flydsl.autotune
    monkeypatch.setattr(flydsl.autotune, "_env_fingerprint", lambda: "replaced")
    assert public_names()._env_fingerprint() == "replaced"


def test_the_public_names_are_these() -> None:
    assert sorted(flydsl.autotune.__all__) == ["Autotuner", "Config", "autotune", "do_bench"]
    assert callable(flydsl.autotune._normalize_strides)
    assert callable(flydsl.autotune._toolchain_fingerprint)
    assert callable(flydsl.autotune._device_fingerprint)
    assert callable(flydsl.autotune._device_descriptor)
