"""A CPU architecture name in, what LLVM needs to make code for it out; finds the level of this machine without LLVM."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path
from typing import NamedTuple

from flydsl.base.errors import UnsupportedTargetError

__all__ = ["TARGETS", "CpuTarget", "host_arch", "target_of"]


class CpuTarget(NamedTuple):
    """What an architecture name stands for; `requires` are the /proc/cpuinfo flags that tell a machine has it."""

    arch: str
    triple: str
    chip: str
    features: str = ""
    requires: frozenset[str] = frozenset()


_X86 = "x86_64-unknown-linux-gnu"
_V2 = frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})
_V3 = _V2 | {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

TARGETS: dict[str, CpuTarget] = {
    target.arch: target
    for target in (
        CpuTarget("x86-64-v4", _X86, "x86-64-v4", "-prefer-256-bit", _V4),
        CpuTarget("x86-64-v3", _X86, "x86-64-v3", "", _V3),
        CpuTarget("x86-64-v2", _X86, "x86-64-v2", "", _V2),
        CpuTarget("aarch64", "aarch64-unknown-linux-gnu", "generic", "+neon"),
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
    machine = platform.machine().lower()
    if machine in ("aarch64", "arm64"):
        return "aarch64"
    if machine not in ("x86_64", "amd64"):
        raise UnsupportedTargetError(
            f"backend 'cpu' has no code generation for machine {machine!r}; known: {', '.join(TARGETS)}"
        )
    flags = _cpu_flags(Path("/proc/cpuinfo"))
    return next((t.arch for t in TARGETS.values() if t.triple == _X86 and t.requires <= flags), "x86-64-v2")


def _cpu_flags(path: Path) -> frozenset[str]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return frozenset()
    return next((frozenset(line.partition(":")[2].split()) for line in lines if line.startswith("flags")), frozenset())
