"""API of RDNA4: gfx1200 and gfx1201."""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import UnsupportedTargetError
from flydsl_rocm.features import Feature

from .chips import require
from .dialect_op import DialectOp
from .waits import wait_counters


def s_waitcnt(vmcnt: Any = None, lgkmcnt: Any = None, expcnt: Any = None) -> None:
    """Wait until at most so many operations are outstanding: of vector memory, of LDS and scalar memory, of exports."""
    require("rdna4.s_waitcnt", Feature.RDNA4)
    wait_counters("rdna4.s_waitcnt", vmcnt, lgkmcnt, expcnt)


def GlobalLoadTrans(trans_granularity: int, bit_size: int) -> DialectOp:  # noqa: N802 - used like a class
    """A wave of 32 reads rows of a tile in global memory and receives columns: (8, 64) or (16, 128) bits."""
    if (trans_granularity, bit_size) not in ((8, 64), (16, 128)):
        raise UnsupportedTargetError(
            f"GlobalLoadTrans is (8, 64) or (16, 128) on RDNA4, found ({trans_granularity}, {bit_size})"
        )
    parameters = (trans_granularity, bit_size)
    return DialectOp("rdna4.GlobalLoadTrans", Feature.RDNA4, "transposed_types:Gfx12GlobalLoadTransType", parameters)
