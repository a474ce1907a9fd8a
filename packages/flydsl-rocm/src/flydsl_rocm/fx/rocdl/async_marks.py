"""Marks between groups of asynchronous copies to LDS, and waits for groups.

On gfx950 a wait leaves the newest groups outstanding. Elsewhere it is for every outstanding copy, which is more than
was asked for and always right.
"""

from __future__ import annotations

from typing import Any

from .chips import CDNA3, CDNA4, GFX1250, require
from .emit import count as number
from .emit import create
from .waits import s_wait_asynccnt, wait_counters

__all__ = ["asyncmark", "wait_asyncmark"]


def asyncmark() -> None:
    """End a group of asynchronous copies."""
    if require("asyncmark", CDNA3 | GFX1250).chip in CDNA4:
        from flydsl.backend.dialect import upstream_op
        from flydsl_rocm.passes.lower_async_copies import MARK

        create(upstream_op(MARK), [], [])


def wait_asyncmark(count: Any = 0) -> None:
    """Wait until at most the `count` newest groups are outstanding."""
    target = require("wait_asyncmark", CDNA3 | GFX1250)
    groups = number("wait_asyncmark", count)
    if target.chip in CDNA4:
        from flydsl.backend.dialect import integer, upstream_op
        from flydsl_rocm.passes.lower_async_copies import COUNT, WAIT

        create(upstream_op(WAIT), [], [], {COUNT: integer(groups)})
        return
    if target.chip in GFX1250:
        s_wait_asynccnt(0)
        return
    wait_counters("wait_asyncmark", 0, None, None)
