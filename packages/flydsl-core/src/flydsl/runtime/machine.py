"""The capabilities of this machine's processor, found without LLVM."""

from __future__ import annotations

import platform
from functools import cache
from pathlib import Path

_V2 = frozenset({"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"})
_V3 = _V2 | {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"}
_V4 = _V3 | {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}

X86_LEVELS = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}
"""Levels of x86-64, the most capable first, with the flags of /proc/cpuinfo that tell a machine has them."""


def machine_name() -> str:
    """The family of this machine's processor: x86_64, aarch64, or what the system says."""
    name = platform.machine().lower()
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(name, name)


@cache
def x86_levels(cpuinfo: Path = Path("/proc/cpuinfo")) -> tuple[str, ...]:
    """The levels that this machine runs, the most capable first; none on other machines, or when nothing is known."""
    if machine_name() != "x86_64":
        return ()
    flags = _cpu_flags(cpuinfo)
    return tuple(level for level, needed in X86_LEVELS.items() if needed <= flags)


def _cpu_flags(path: Path) -> frozenset[str]:
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            flags = (line.partition(":")[2].split() for line in lines if line.startswith("flags"))
            return frozenset(next(flags, ()))
    except OSError:
        return frozenset()
