"""API of CDNA5: gfx1250."""

from __future__ import annotations

from flydsl_rocm.features import Feature

from .dialect_op import DialectOp
from .matrix import WMMAScale as WMMAScale
from .tdm import make_tdm_atom


def GlobalLoadAsyncLDS(bit_size: int) -> DialectOp:  # noqa: N802 - an operation, used like a class
    """Global memory to LDS past the registers, `bit_size` (8, 32, 64, 128) bits a thread.

    Done after `fx.rocdl.s_wait_asynccnt`, which counts the copies of a wave; they are done in order.
    """
    return DialectOp(
        "cdna5.GlobalLoadAsyncLDS", Feature.CDNA5, "async_types:Gfx1250GlobalLoadAsyncLdsType", (bit_size,)
    )


def GlobalStoreAsyncLDS(bit_size: int) -> DialectOp:  # noqa: N802
    """LDS to global memory past the registers, `bit_size` (8, 32, 64, 128) bits a thread; see `GlobalLoadAsyncLDS`."""
    return DialectOp(
        "cdna5.GlobalStoreAsyncLDS", Feature.CDNA5, "async_types:Gfx1250GlobalStoreAsyncLdsType", (bit_size,)
    )


def ClusterLoadAsyncLDS(bit_size: int) -> DialectOp:  # noqa: N802
    """Global memory to the LDS of several workgroups of a cluster; state: workgroup_mask, a bit for each of them.

    `bit_size` (8, 32, 64, 128) bits a thread, at the same place of each one's LDS. See `GlobalLoadAsyncLDS`.
    """
    return DialectOp(
        "cdna5.ClusterLoadAsyncLDS", Feature.CDNA5, "async_types:Gfx1250ClusterLoadAsyncLdsType", (bit_size,)
    )


def LDSLoadTrans(trans_granularity: int, bit_size: int) -> DialectOp:  # noqa: N802
    """A wave reads rows of a tile in LDS and receives columns: (4, 64), (8, 64), (16, 128) or (6, 96) bits."""
    parameters = (trans_granularity, bit_size)
    return DialectOp("cdna5.LDSLoadTrans", Feature.CDNA5, "transposed_types:Gfx1250LdsLoadTransType", parameters)


def GlobalLoadTrans(trans_granularity: int, bit_size: int) -> DialectOp:  # noqa: N802
    """A wave reads rows of a tile in global memory and receives columns; elements as of `LDSLoadTrans`."""
    parameters = (trans_granularity, bit_size)
    return DialectOp("cdna5.GlobalLoadTrans", Feature.CDNA5, "transposed_types:Gfx12GlobalLoadTransType", parameters)


TDM = make_tdm_atom
"""The atom of a move of a tensor; see `fx.rocdl.make_tdm_atom`."""
