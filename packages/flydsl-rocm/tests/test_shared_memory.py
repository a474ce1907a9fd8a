"""Capacities of LDS, under the names that other kernels import."""

from __future__ import annotations

import pytest

from flydsl.runtime import device
from flydsl.utils.smem_allocator import SMEM_CAPACITY_MAP, check_smem_capacity
from flydsl_rocm.target import TARGETS


def test_capacities_are_those_of_the_targets() -> None:
    expected = {"gfx942": 65536, "gfx1100": 65536, "gfx1151": 65536, "gfx1201": 65536, "gfx950": 163840}
    assert {name: SMEM_CAPACITY_MAP[name] for name in expected} == expected
    assert SMEM_CAPACITY_MAP["gfx1250"] == 327680
    assert set(TARGETS) <= set(SMEM_CAPACITY_MAP)
    assert SMEM_CAPACITY_MAP.get("gfx000", 1) == 1


def test_more_than_a_chip_has_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    check_smem_capacity(65536, "gfx942")
    check_smem_capacity(160 << 10, "gfx950:sramecc+")
    check_smem_capacity(1 << 40, "gfx000")
    with pytest.raises(RuntimeError, match="65537 bytes .* a workgroup of gfx942 has 65536; use smaller tiles"):
        check_smem_capacity(65537, "gfx942")
    monkeypatch.setenv("FLYDSL_COMPILE_ARCH", "gfx1201")
    with pytest.raises(RuntimeError, match="gfx1201"):
        device.check_smem_capacity(1 << 20)
