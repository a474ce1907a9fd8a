"""What code is made for: the architecture of the devices that JAX has."""

from __future__ import annotations

from types import SimpleNamespace

import jax
import pytest

from flydsl.base.errors import UnsupportedTargetError
from flydsl.jax import primitive
from flydsl.jax.platforms import Platform
from flydsl.jax.specialise import _arch


@pytest.mark.parametrize("platform, capability, backend, arch", [
    (Platform.ROCM, "gfx942", "rocm", "gfx942"),
    (Platform.ROCM, "gfx90a:sramecc+:xnack-", "rocm", "gfx90a"),
    (Platform.CUDA, "9.0", "cuda", "sm_90a"),
    (Platform.CUDA, "8.0", "cuda", "sm_80"),
    (Platform.CUDA, "10.0", "cuda", "sm_100a"),
])  # fmt: skip
def test_the_backend_says_which_target_serves_the_devices(monkeypatch, platform, capability, backend, arch):
    devices = [SimpleNamespace(compute_capability=capability)] * 2
    monkeypatch.setattr(jax, "local_devices", lambda backend: devices if backend == platform.lowering else [])
    assert primitive._reported(platform) == (capability,)
    assert _arch(backend, primitive._reported(platform)) == arch


def test_devices_that_need_different_code_are_refused(monkeypatch):
    devices = [SimpleNamespace(compute_capability=capability) for capability in ("8.0", "9.0")]
    monkeypatch.setattr(jax, "local_devices", lambda backend: devices)
    with pytest.raises(UnsupportedTargetError, match=r"different code of backend 'cuda': sm_80, sm_90a"):
        _arch("cuda", primitive._reported(Platform.CUDA))


def test_the_host_reports_nothing(monkeypatch):
    monkeypatch.setattr(jax, "local_devices", lambda backend: [SimpleNamespace(compute_capability="x")])
    assert primitive._reported(Platform.CPU) == ()


@pytest.mark.parametrize("platform", [Platform.ROCM, Platform.CUDA])
def test_a_platform_that_is_not_here_has_none(platform):
    assert primitive._reported(platform) == ()
