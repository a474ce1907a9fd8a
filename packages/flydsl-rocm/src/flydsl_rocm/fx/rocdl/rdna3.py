"""API of RDNA3 and RDNA 3.5: gfx11."""

from __future__ import annotations

from typing import Any

from flydsl_rocm.features import Feature

from .chips import require
from .waits import wait_counters


def s_waitcnt(vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports."""
    require("rdna3.s_waitcnt", Feature.RDNA3)
    wait_counters("rdna3.s_waitcnt", vmcnt, lgkmcnt, expcnt)
