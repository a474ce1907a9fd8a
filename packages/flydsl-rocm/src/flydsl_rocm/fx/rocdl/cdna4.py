"""API of CDNA4: gfx950."""

from __future__ import annotations

from typing import Any

from flydsl.backend.language import current
from flydsl.expr import BFloat16, Boolean, Float32, Int32, Numeric, Vector
from flydsl_rocm.features import Feature
from flydsl_rocm.target import RocmTarget

from .chips import require
from .dialect_op import DialectOp
from .emit import intrinsic, scalar
from .matrix import MatrixOp, element_types


def _copy(name: str, type_name: str, *parameters: int) -> DialectOp:
    return DialectOp(f"cdna4.{name}", Feature.CDNA4, type_name, parameters)


def BufferLoadAsyncLDS(bit_size: int) -> DialectOp:  # noqa: N802 - an operation, used like a class
    """Buffer memory to LDS past the registers, `bit_size` (32, 96, 128) bits a thread; see `wait_asyncmark`."""
    return _copy("BufferLoadAsyncLDS", "copy_types:BufferLoadAsyncLdsType", bit_size)


def BufferLoadAsyncLDS32b() -> DialectOp:  # noqa: N802
    """32 bits a thread."""
    return BufferLoadAsyncLDS(32)


def BufferLoadAsyncLDS96b() -> DialectOp:  # noqa: N802
    """96 bits a thread."""
    return BufferLoadAsyncLDS(96)


def BufferLoadAsyncLDS128b() -> DialectOp:  # noqa: N802
    """128 bits a thread."""
    return BufferLoadAsyncLDS(128)


def GlobalLoadAsyncLDS(bit_size: int) -> DialectOp:  # noqa: N802
    """Global memory to LDS past the registers, `bit_size` (32, 96, 128) bits a thread; see `wait_asyncmark`."""
    return _copy("GlobalLoadAsyncLDS", "copy_types:GlobalLoadAsyncLdsType", bit_size)


def GlobalLoadAsyncLDS32b() -> DialectOp:  # noqa: N802
    """32 bits a thread."""
    return GlobalLoadAsyncLDS(32)


def GlobalLoadAsyncLDS96b() -> DialectOp:  # noqa: N802
    """96 bits a thread."""
    return GlobalLoadAsyncLDS(96)


def GlobalLoadAsyncLDS128b() -> DialectOp:  # noqa: N802
    """128 bits a thread."""
    return GlobalLoadAsyncLDS(128)


def LDSReadTrans(trans_granularity: int, bit_size: int) -> DialectOp:  # noqa: N802
    """16 threads read rows of LDS and receive columns: (4, 64), (8, 64), (16, 64) or (6, 96)."""
    return _copy("LDSReadTrans", "transposed_types:LdsReadTransType", trans_granularity, bit_size)


def LDSReadTrans4_64b() -> DialectOp:  # noqa: N802
    """Elements of 4 bits."""
    return LDSReadTrans(4, 64)


def LDSReadTrans8_64b() -> DialectOp:  # noqa: N802
    """Elements of 8 bits."""
    return LDSReadTrans(8, 64)


def LDSReadTrans16_64b() -> DialectOp:  # noqa: N802
    """Elements of 16 bits."""
    return LDSReadTrans(16, 64)


def LDSReadTrans6_96b() -> DialectOp:  # noqa: N802
    """Elements of 6 bits."""
    return LDSReadTrans(6, 96)


def MFMAScale(  # noqa: N802
    m: int,
    n: int,
    k: int,
    elem_ty_a: type[Numeric],
    elem_ty_b: type[Numeric] | None = None,
    elem_ty_acc: type[Numeric] | None = None,
    *,
    opsel_a: int = 0,
    opsel_b: int = 0,
) -> MatrixOp:
    """D = (A * scale_a) * (B * scale_b) + C of 8, 6 and 4-bit floats, 16x16x128 or 32x32x64.

    State, to be set: scale_a, scale_b, Int32 of 4 e8m0 bytes, of which `opsel_a` and `opsel_b` pick one. Thread t of
    the wave has those of row t % m for 32 k from t // m * 32 on. Without either the product is not scaled; a single one
    that is not set is 2**-127.
    """

    def make(target: RocmTarget) -> Any:
        from flydsl_rocm.atoms.matrix_types import MfmaScaleType

        types = element_types((elem_ty_a, elem_ty_b or elem_ty_a), elem_ty_acc)
        return MfmaScaleType((m, n, k), *types, opsel_a, opsel_b)

    return MatrixOp("cdna4.MFMAScale", make)


MFMA_Scale = MFMAScale


def cvt_sr_f32_to_bf16(x: Any, rand: Any) -> BFloat16:
    """`x` (Float32) as bfloat16, rounded up or down at random by the bits of `rand` (Int32)."""
    name = "cdna4.cvt_sr_f32_to_bf16"
    require(name, Feature.CDNA4)
    emitter = current()
    pair, no = emitter.type(BFloat16, [2]), Boolean(False).ir_value()
    operands = [emitter.constant(BFloat16, 0, [2]), scalar(name, x, Float32), scalar(name, rand, Int32), no]
    return Vector(intrinsic("cvt.sr.bf16.f32", operands, [pair]), 2, BFloat16)[0]
