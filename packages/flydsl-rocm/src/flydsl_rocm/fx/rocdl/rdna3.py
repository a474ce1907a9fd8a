"""API of RDNA3: gfx1100 and gfx1101."""

from __future__ import annotations

from typing import Any

from .chips import RDNA3, require
from .waits import wait_counters


def s_waitcnt(vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports."""
    require("rdna3.s_waitcnt", RDNA3)
    wait_counters("rdna3.s_waitcnt", vmcnt, lgkmcnt, expcnt)
