"""What code is made for: the architecture of the devices that JAX has."""

from __future__ import annotations

from types import SimpleNamespace

import jax
import pytest

from flydsl.jax import primitive
from flydsl.jax.platforms import Platform


@pytest.mark.parametrize("platform, capability, arch", [
    (Platform.ROCM, "gfx942", "gfx942"),
    (Platform.ROCM, "gfx90a:sramecc+:xnack-", "gfx90a"),
    (Platform.CUDA, "9.0", "sm_90"),
    (Platform.CUDA, "12.1", "sm_121"),
    (Platform.CPU, "anything", ""),
])  # fmt: skip
def test_the_architecture_is_that_of_the_first_device(monkeypatch, platform, capability, arch):
    devices = [SimpleNamespace(compute_capability=capability), SimpleNamespace(compute_capability="other")]
    monkeypatch.setattr(jax, "local_devices", lambda backend: devices if backend == platform.lowering else [])
    assert primitive._reported_arch(platform) == arch


@pytest.mark.parametrize("platform", [Platform.ROCM, Platform.CUDA])
def test_a_platform_that_is_not_here_has_none(platform):
    assert primitive._reported_arch(platform) == ""
