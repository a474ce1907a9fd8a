"""API of RDNA4: gfx1200 and gfx1201."""

from __future__ import annotations

from typing import Any

from .chips import RDNA4, require
from .waits import wait_counters


def s_waitcnt(vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports."""
    require("rdna4.s_waitcnt", RDNA4)
    wait_counters("rdna4.s_waitcnt", vmcnt, lgkmcnt, expcnt)
