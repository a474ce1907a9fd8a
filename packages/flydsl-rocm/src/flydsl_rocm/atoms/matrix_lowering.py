"""Lowering of matrix atoms to ROCDL matrix intrinsics."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, VectorType, i1, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.fly.atoms import MmaOpType
from flydsl.ir.fly.element import element_bits
from flydsl.passes.convert_fly_to_llvm import AtomField, Conversion, MmaCall
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.target import MmaHandler
from flydsl_rocm.atoms.matrix_intrinsics import MFMA, WMMA, Intrinsic
from flydsl_rocm.atoms.matrix_types import (
    Gfx11WmmaType,
    Gfx120xWmmaType,
    Gfx1250WmmaType,
    MfmaScaleType,
    MfmaType,
)

_SCALED_FORMATS = {"f8E4M3FN": 0, "f8E5M2": 1, "f6E2M3FN": 2, "f6E3M2FN": 3, "f4E2M1FN": 4}
_UNIT_SCALE = 0x7F7F7F7F
"""Four e8m0 scales of 1.0."""


def _mfma(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, MfmaType)
    entry = MFMA[atom.table_key]
    if entry.blocks > 1:
        raise IRError(f"{atom} computes {entry.blocks} products at once, which no tile of one product describes")
    zero = build.constant(0)
    a, b = (_operand(build, value, entry) for value in (call.a, call.b))
    return build.raw(entry.name, (a, b, call.c, zero, zero, zero), (call.c.type,)).results[0]


def _mfma_scale(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, MfmaScaleType)
    m, n, k = atom.shape
    constants = (_SCALED_FORMATS[str(atom.a)], _SCALED_FORMATS[str(atom.b)], atom.opsel_a, atom.opsel_b)
    format_a, format_b, opsel_a, opsel_b = (build.constant(value) for value in constants)
    operands = (
        *(_words(build, value) for value in (call.a, call.b)),
        call.c,
        *(format_a, format_b),
        *(opsel_a, call.state["scale_a"]),
        *(opsel_b, call.state["scale_b"]),
    )
    name = f"rocdl.mfma.scale.f32.{m}x{n}x{k}.f8f6f4"
    return build.raw(name, operands, (call.c.type,)).results[0]


def _wmma(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, Gfx11WmmaType | Gfx120xWmmaType | Gfx1250WmmaType)
    entry = WMMA[atom.family, atom.table_key]
    a, b = (_operand(build, value, entry) for value in (call.a, call.b))
    attributes: dict[str, Attribute] = {}
    if entry.form in ("signed", "clamp"):
        flags = {"signA": atom.sign_a, "signB": atom.sign_b, "clamp": atom.clamp}
        attributes = {name: IntegerAttr(int(value), i1) for name, value in flags.items()}
    c = call.c
    if entry.form == "halves":
        return _even(build, _wmma_halves(build, entry, a, b, c), c.type)
    if str(atom.acc) == "bf16" and atom.family != "gfx1250":
        c = build.bitcast(c, VectorType(i16, [8]))
    result = build.raw(entry.name, (a, b, c), (c.type,), attributes).results[0]
    return build.bitcast(result, call.c.type)


def _wmma_halves(build: LLVMBuilder, entry: Intrinsic, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    """gfx11 keeps 16-bit accumulators in the low halves of 8 registers: every other element of a vector of 16."""
    spread = build.create(
        vector.ShuffleOp,
        (c, c),
        (VectorType(_element(c.type), [16]),),
        properties={"mask": DenseArrayBase.from_list(i64, [i // 2 for i in range(16)])},
    ).results[0]
    wide = entry.operand or spread.type
    result = build.raw(entry.name, (a, b, build.bitcast(spread, wide)), (wide,), {"opsel": IntegerAttr(0, i1)})
    return build.bitcast(result.results[0], spread.type)


def _even(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    properties = {"mask": DenseArrayBase.from_list(i64, [2 * i for i in range(8)])}
    return build.value(vector.ShuffleOp, (value, value), type_, properties)


def _operand(build: LLVMBuilder, value: SSAValue, entry: Intrinsic) -> SSAValue:
    """a or b as the intrinsic wants it; a scalar where one value is all a thread holds."""
    if entry.operand is not None:
        return build.bitcast(value, entry.operand)
    if isinstance(value.type, VectorType) and value.type.element_count() == 1:
        properties = {"static_position": DenseArrayBase.from_list(i64, [0])}
        return build.value(vector.ExtractOp, (value,), value.type.element_type, properties)
    return value


def _words(build: LLVMBuilder, value: SSAValue) -> SSAValue:
    """Packed narrow floats as a vector of i32; scaled instructions take 8, 6 or 4 of them."""
    return build.bitcast(value, VectorType(i32, [element_bits(value.type) // 32]))


def _element(type_: Attribute) -> Attribute:
    assert isinstance(type_, VectorType)
    element: Attribute = type_.element_type
    return element


MATRIX_HANDLERS: Mapping[type[MmaOpType], MmaHandler] = {
    MfmaScaleType: _mfma_scale,
    MfmaType: _mfma,
    Gfx11WmmaType: _wmma,
    Gfx120xWmmaType: _wmma,
    Gfx1250WmmaType: _wmma,
}
MATRIX_STATES: Mapping[type[Attribute], tuple[AtomField, ...]] = {
    MfmaScaleType: (AtomField("scale_a", i32, _UNIT_SCALE), AtomField("scale_b", i32, _UNIT_SCALE)),
}
