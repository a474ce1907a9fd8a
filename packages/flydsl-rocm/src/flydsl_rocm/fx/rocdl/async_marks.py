"""Marks between groups of asynchronous copies to LDS, and waits for groups.

LLVM 22 does not track marks: a wait is for every outstanding copy, which is more than was asked for and always right.
"""

from __future__ import annotations

from typing import Any

from .chips import CDNA3, GFX1250, require
from .emit import count as number
from .waits import s_wait_asynccnt, wait_counters

__all__ = ["asyncmark", "wait_asyncmark"]


def asyncmark() -> None:
    """End a group of asynchronous copies."""
    require("asyncmark", CDNA3 | GFX1250)


def wait_asyncmark(count: Any = 0) -> None:
    """Wait until at most the `count` newest groups are outstanding."""
    target = require("wait_asyncmark", CDNA3 | GFX1250)
    number("wait_asyncmark", count)
    if target.chip in GFX1250:
        s_wait_asynccnt(0)
        return
    wait_counters("wait_asyncmark", 0, None, None)
