"""Conversions between f32 and packed 8-bit and 16-bit floats.

fp8 is e4m3, bf8 e5m2: in the FNUZ encodings on gfx942, in those of OCP on later chips. Every function also
takes a result type in front, as kernels written with raw operations pass it.
"""

from __future__ import annotations

from typing import Any

from flydsl.backend.language import current
from flydsl.expr import BFloat16, Float16, Float32, Int32, Vector
from flydsl_rocm.features import Feature

from .chips import require
from .emit import immediate, intrinsic, operation, scalar, values

__all__ = [
    "cvt_f32_bf8",
    "cvt_f32_fp8",
    "cvt_off_f32_i4",
    "cvt_pk_bf8_f32",
    "cvt_pk_bf16_f32",
    "cvt_pk_f32_bf8",
    "cvt_pk_f32_fp8",
    "cvt_pk_fp8_f32",
    "cvt_pkrtz",
    "cvt_sr_bf8_f32",
    "cvt_sr_fp8_f32",
]


def cvt_pk_fp8_f32(*args: Any) -> Int32:
    """`cvt_pk_fp8_f32(a, b, old, word_sel)`: two f32 as fp8 in the low or high half of `old`."""
    return _pack("cvt_pk_fp8_f32", args)


def cvt_pk_bf8_f32(*args: Any) -> Int32:
    """`cvt_pk_bf8_f32(a, b, old, word_sel)`: two f32 as bf8 in the low or high half of `old`."""
    return _pack("cvt_pk_bf8_f32", args)


def cvt_sr_fp8_f32(*args: Any) -> Int32:
    """`cvt_sr_fp8_f32(x, random, old, byte_sel)`: one f32, stochastically rounded, in one byte of `old`."""
    return _stochastic("cvt_sr_fp8_f32", args)


def cvt_sr_bf8_f32(*args: Any) -> Int32:
    """`cvt_sr_bf8_f32(x, random, old, byte_sel)`: one f32, stochastically rounded, in one byte of `old`."""
    return _stochastic("cvt_sr_bf8_f32", args)


def cvt_pk_f32_fp8(*args: Any) -> Vector:
    """`cvt_pk_f32_fp8(x, word_sel)`: two fp8 of the low or high half as f32."""
    return _unpack("cvt_pk_f32_fp8", args)


def cvt_pk_f32_bf8(*args: Any) -> Vector:
    """`cvt_pk_f32_bf8(x, word_sel)`: two bf8 of the low or high half as f32."""
    return _unpack("cvt_pk_f32_bf8", args)


def cvt_f32_fp8(*args: Any) -> Float32:
    """`cvt_f32_fp8(x, byte_sel)`: the fp8 in one byte as f32."""
    return _byte("cvt_f32_fp8", args)


def cvt_f32_bf8(*args: Any) -> Float32:
    """`cvt_f32_bf8(x, byte_sel)`: the bf8 in one byte as f32."""
    return _byte("cvt_f32_bf8", args)


def cvt_pkrtz(*args: Any) -> Vector:
    """`cvt_pkrtz(a, b)`: two f32 as f16, rounded towards zero."""
    require("cvt_pkrtz")
    operands = [scalar("cvt_pkrtz", value, Float32) for value in values("cvt_pkrtz", args, 2)]
    return Vector(operation("cvt.pkrtz", operands, [current().type(Float16, [2])]), 2, Float16)


def cvt_pk_bf16_f32(*args: Any) -> Vector:
    """`cvt_pk_bf16_f32(a, b)`: two f32 as bf16, rounded to nearest even."""
    require("cvt_pk_bf16_f32", Feature.BF16_CONVERSIONS)
    pair = Vector.from_elements([Float32(value) for value in values("cvt_pk_bf16_f32", args, 2)])
    return pair.to(BFloat16)


def cvt_off_f32_i4(*args: Any) -> Float32:
    """`cvt_off_f32_i4(x)`: the low 4 bits of `x`, minus 8 and divided by 16, as f32."""
    require("cvt_off_f32_i4")
    (value,) = values("cvt_off_f32_i4", args, 1)
    operands = [scalar("cvt_off_f32_i4", value, Int32)]
    return Float32.wrap(intrinsic("cvt.off.f32.i4", operands, [Float32.ir_type_of()]))


def _pack(name: str, args: tuple[Any, ...]) -> Int32:
    require(name, Feature.FP8_CONVERSIONS)
    a, b, old, word_sel = values(name, args, 4)
    operands = [scalar(name, a, Float32), scalar(name, b, Float32), scalar(name, old, Int32)]
    attributes = {"wordSel": immediate(name, int(word_sel), 1)}
    return Int32.wrap(operation(_operation(name), operands, [Int32.ir_type_of()], attributes))


def _stochastic(name: str, args: tuple[Any, ...]) -> Int32:
    require(name, Feature.FP8_CONVERSIONS)
    value, random, old, byte_sel = values(name, args, 4)
    operands = [scalar(name, value, Float32), scalar(name, random, Int32), scalar(name, old, Int32)]
    attributes = {"byteSel": immediate(name, byte_sel, below=4)}
    return Int32.wrap(operation(_operation(name), operands, [Int32.ir_type_of()], attributes))


def _unpack(name: str, args: tuple[Any, ...]) -> Vector:
    require(name, Feature.FP8_CONVERSIONS)
    value, word_sel = values(name, args, 2)
    attributes = {"wordSel": immediate(name, int(word_sel), 1)}
    pair = operation(_operation(name), [scalar(name, value, Int32)], [current().type(Float32, [2])], attributes)
    return Vector(pair, 2, Float32)


def _byte(name: str, args: tuple[Any, ...]) -> Float32:
    require(name, Feature.FP8_CONVERSIONS)
    value, byte_sel = values(name, args, 2)
    attributes = {"byteSel": immediate(name, byte_sel, below=4)}
    operands = [scalar(name, value, Int32)]
    return Float32.wrap(operation(_operation(name), operands, [Float32.ir_type_of()], attributes))


def _operation(name: str) -> str:
    return name.replace("_", ".")
