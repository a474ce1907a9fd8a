"""The `fly_rocdl` dialect: AMD's address space, copy and matrix atoms, and operations on buffer pointers."""

from __future__ import annotations

from xdsl.ir import Dialect

from flydsl.backend.dialect import PURE, FlyOp, Operand
from flydsl_rocm.atoms.async_types import (
    Gfx1250ClusterLoadAsyncLdsType,
    Gfx1250GlobalLoadAsyncLdsType,
    Gfx1250GlobalStoreAsyncLdsType,
)
from flydsl_rocm.atoms.copy_types import (
    BufferAtomicType,
    BufferCopyLdsType,
    BufferCopyType,
    BufferDescAttr,
    BufferLoadAsyncLdsType,
    GlobalLoadAsyncLdsType,
)
from flydsl_rocm.atoms.matrix_types import MfmaScaleType, MfmaType
from flydsl_rocm.atoms.tdm_types import Gfx1250TdmType
from flydsl_rocm.atoms.transposed_types import Gfx12GlobalLoadTransType, Gfx1250LdsLoadTransType, LdsReadTransType
from flydsl_rocm.atoms.wmma_types import (
    Gfx11WmmaType,
    Gfx120xWmmaType,
    Gfx1250WmmaScaleType,
    Gfx1250WmmaType,
)
from flydsl_rocm.tdm_operations import MakeTiledTdmLoadAtomOp, MakeTiledTdmStoreAtomOp


class GetBufferRsrcOp(FlyOp):
    """`(ptr) -> !llvm.ptr<8>`: the buffer resource of a `buffer_desc` pointer."""

    name = "fly_rocdl.get_buffer_rsrc"
    traits = PURE
    ptr = Operand()


FLY_ROCDL = Dialect(
    "fly_rocdl",
    [GetBufferRsrcOp, MakeTiledTdmLoadAtomOp, MakeTiledTdmStoreAtomOp],
    [
        BufferAtomicType,
        BufferCopyLdsType,
        BufferCopyType,
        BufferDescAttr,
        BufferLoadAsyncLdsType,
        Gfx11WmmaType,
        Gfx120xWmmaType,
        Gfx1250WmmaScaleType,
        Gfx12GlobalLoadTransType,
        Gfx1250ClusterLoadAsyncLdsType,
        Gfx1250GlobalLoadAsyncLdsType,
        Gfx1250GlobalStoreAsyncLdsType,
        Gfx1250LdsLoadTransType,
        Gfx1250TdmType,
        Gfx1250WmmaType,
        GlobalLoadAsyncLdsType,
        LdsReadTransType,
        MfmaScaleType,
        MfmaType,
    ],
)
