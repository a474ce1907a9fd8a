"""Code objects loaded on a simulated GPU and unloaded, again and again: memory and mappings stay bounded."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "lib"))
os.environ["FLYDSL_COMPILE_BACKEND"] = "rocm"

import numpy as np
from support.long_run import Outcome, long_run

import flydsl_hipsim
from flydsl_hipsim.simulator import hip_functions

WHAT = "code objects loaded and unloaded on a simulated GPU"
_WARM = 200
"""Rounds before the first look: caches fill."""
_BYTES, _MAPPINGS = 64 << 20, 50
"""What allocators may keep."""


def run(count: int, seed: int) -> Outcome:
    """Load and unload `count` times; each module must work, and little be left."""
    flydsl_hipsim.install("gfx942")
    from support.exit_kernels import count as counting

    artifact = counting.prepare(np.zeros(1, np.int32), 1).artifact
    hip, name = hip_functions(), artifact.kernels[0].encode()
    failures: list[str] = []
    before = _held()
    for number in range(count):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        codes = (
            hip.hipModuleLoadData(ctypes.byref(module), artifact.device),
            hip.hipModuleGetFunction(ctypes.byref(function), module, name),
            hip.hipModuleUnload(module),
        )
        if any(codes):
            failures.append(f"module {number}: codes {codes}")
        if number == min(_WARM, count // 2):
            before = _held()
    grown = tuple(after - first for after, first in zip(_held(), before, strict=True))
    if grown[0] > _BYTES or grown[1] > _MAPPINGS:
        failures.append(f"the process has grown by {grown[0]:,} bytes and {grown[1]} mappings")
    figures: dict[str, float | str] = {"bytes more": grown[0], "mappings more": grown[1]}
    return Outcome(WHAT, count, len(failures), figures, tuple(failures[:5]))


def _held() -> tuple[int, int]:
    """Resident bytes and mappings of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(Path("/proc/self/maps").read_text().splitlines())


if __name__ == "__main__":
    chosen = long_run(__doc__, 20_000)
    run(chosen.count, chosen.seed).print()
