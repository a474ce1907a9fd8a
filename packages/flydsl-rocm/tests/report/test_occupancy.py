"""Waves of a SIMD; the expected numbers are those that LLVM's `llc` prints as `Occupancy` for such kernels."""

from __future__ import annotations

import pytest

from flydsl_rocm.report.metadata import KernelMetadata
from flydsl_rocm.report.occupancy import waves_by_lds, waves_by_registers
from flydsl_rocm.target import target_of


def kernel(vgprs: int = 1, lds: int = 0, threads: int = 256, wave: int = 64) -> KernelMetadata:
    return KernelMetadata("k", vgprs, 0, 16, 0, 0, lds, 0, False, threads, wave)


@pytest.mark.parametrize(
    ("arch", "vgprs", "waves"),
    [
        ("gfx90a", 64, 8),
        ("gfx942", 65, 7),
        ("gfx942", 128, 4),
        ("gfx950", 130, 3),
        ("gfx942", 512, 1),
        ("gfx1100", 96, 16),
        ("gfx1100", 97, 12),
        ("gfx1201", 255, 5),
        ("gfx1100:wavefrontsize64+", 97, 7),
        ("gfx1250", 64, 16),
        ("gfx1250", 65, 12),
        ("gfx1151", 97, 12),
        ("gfx1103", 96, 10),
        ("gfx1103", 97, 9),
        ("gfx1150", 193, 4),
    ],
)
def test_waves_by_registers(arch: str, vgprs: int, waves: int) -> None:
    assert waves_by_registers(kernel(vgprs), target_of(arch)) == waves


@pytest.mark.parametrize(
    ("arch", "lds", "threads", "waves"),
    [
        ("gfx942", 0, 256, 8),
        ("gfx942", 20000, 256, 3),
        ("gfx950", 20000, 256, 8),
        ("gfx942", 40000, 256, 1),
        ("gfx942", 40000, 1024, 4),
        ("gfx942", 5000, 64, 4),
        ("gfx1100", 40000, 256, 6),
        ("gfx1201", 65536, 1024, 16),
    ],
)
def test_waves_by_lds(arch: str, lds: int, threads: int, waves: int) -> None:
    target = target_of(arch)
    assert waves_by_lds(kernel(lds=lds, threads=threads, wave=target.wave), target) == waves
