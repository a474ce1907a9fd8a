"""CPU targets: what LLVM needs for an architecture name, and the x86-64 level of this machine found without LLVM."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from flydsl.backend.runtime import machine_name, x86_levels
from flydsl.base.errors import UnsupportedTargetError

WARP_SIZE = 32
"""Threads of a wave, which have consecutive linear ids."""


class CpuTarget(NamedTuple):
    """What an architecture name stands for."""

    arch: str
    triple: str
    chip: str
    features: str = ""
    scales: bool = False
    """Whether vectors are multiplied by powers of two in one instruction (`vscalefps`)."""
    chooses: bool = True
    """Whether `a > b ? a : b` is one instruction (`maxps`), and `maxnumf` is several."""
    width: int = 4
    """Numbers of 32 bits in a vector register."""


_X86 = "x86_64-unknown-linux-gnu"

TARGETS: dict[str, CpuTarget] = {
    target.arch: target
    for target in (
        CpuTarget("x86-64-v4", _X86, "x86-64-v4", "-prefer-256-bit", scales=True, width=16),
        CpuTarget("x86-64-v3", _X86, "x86-64-v3", width=8),
        CpuTarget("x86-64-v2", _X86, "x86-64-v2"),
        CpuTarget("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon", chooses=False),
    )
}
"""Known architectures; those of one machine family from the most to the least capable."""


def target_of(arch: str) -> CpuTarget:
    """The target named `arch`; the error lists those that exist."""
    target = TARGETS.get(arch)
    if target is None:
        raise UnsupportedTargetError(f"backend 'cpu' does not know architecture {arch!r}; known: {', '.join(TARGETS)}")
    return target


@cache
def host_arch() -> str:
    """The most capable architecture that this machine runs."""
    machine = machine_name()
    if machine == "aarch64":
        return machine
    if machine != "x86_64":
        raise UnsupportedTargetError(
            f"backend 'cpu' has no code generation for machine {machine!r}; known: {', '.join(TARGETS)}"
        )
    return next(iter(x86_levels()), "x86-64-v2")
