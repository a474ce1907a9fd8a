"""Marks between groups of asynchronous copies to LDS, and waits for groups.

On gfx950 a wait leaves the newest groups outstanding. Elsewhere it is for every outstanding copy, which is more than
was asked for and always right.
"""

from __future__ import annotations

from typing import Any

from flydsl_rocm.features import Feature

from .chips import require
from .emit import count as number
from .emit import create
from .waits import s_wait_asynccnt, wait_counters

__all__ = ["asyncmark", "wait_asyncmark"]


def asyncmark() -> None:
    """End a group of asynchronous copies."""
    if Feature.CDNA4 in require("asyncmark", Feature.ASYNC_MARKS).features:
        from flydsl.backend.dialect import upstream_op
        from flydsl_rocm.passes.lower_async_copies import MARK

        create(upstream_op(MARK), [], [])


def wait_asyncmark(count: Any = 0) -> None:
    """Wait until at most the `count` newest groups are outstanding."""
    target = require("wait_asyncmark", Feature.ASYNC_MARKS)
    groups = number("wait_asyncmark", count)
    if Feature.CDNA4 in target.features:
        from flydsl.backend.dialect import integer, upstream_op
        from flydsl_rocm.passes.lower_async_copies import COUNT, WAIT

        create(upstream_op(WAIT), [], [], {COUNT: integer(groups)})
        return
    if Feature.ASYNC_COPIES in target.features:
        s_wait_asynccnt(0)
        return
    wait_counters("wait_asyncmark", 0, None, None)
