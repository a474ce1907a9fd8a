"""API of CDNA3: gfx942, gfx950 and gfx9-4-generic."""

from __future__ import annotations

from typing import Any

from flydsl_rocm.features import Feature

from .chips import require
from .waits import wait_counters


def s_waitcnt(vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports."""
    require("cdna3.s_waitcnt", Feature.CDNA3)
    wait_counters("cdna3.s_waitcnt", vmcnt, lgkmcnt, expcnt)
