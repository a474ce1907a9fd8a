"""Lowering of matrix atoms to ROCDL matrix intrinsics."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, VectorType, i1, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.atoms import MmaOpType
from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.lowering import AtomField, AtomState, Conversion, MmaCall, MmaHandler, OperandTypes, storage_type
from flydsl.backend.rewriting import position
from flydsl_rocm.atoms.matrix_intrinsics import SCALED_FORMATS, Intrinsic
from flydsl_rocm.atoms.matrix_types import MfmaScaleType, MfmaType, RocmMmaType
from flydsl_rocm.atoms.wmma_types import (
    Gfx11WmmaType,
    Gfx120xWmmaType,
    Gfx1250WmmaScaleType,
    Gfx1250WmmaType,
)

Types = tuple[Attribute, Attribute, Attribute]


@lru_cache(maxsize=256)
def operand_types(atom: MmaOpType) -> Types:
    """The types of a, b and c at the intrinsic: what registers in memory are read as."""
    assert isinstance(atom, RocmMmaType)
    entry, (in_a, in_b, in_c) = atom.entry, atom.counts()
    c = _plain(storage_type(atom.acc), in_c)
    if entry is None:
        return _packed(atom.a, in_a), _packed(atom.b, in_b), c
    if entry.operand is not None:
        if str(atom.acc) == "bf16" and entry.form != "plain":
            c = VectorType(i16, [in_c])
        return entry.operand, entry.operand, c
    return _plain(storage_type(atom.a), in_a), _plain(storage_type(atom.b), in_b), c


def _plain(element: Attribute, count: int) -> Attribute:
    return element if count == 1 else VectorType(element, [count])


def _packed(element: Attribute, count: int) -> Attribute:
    """Narrow floats as a vector of i32; scaled instructions take 16, 12 or 8 of them, those of CDNA half as many."""
    return VectorType(i32, [element_bits(element) * count // 32])


def _mfma(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, MfmaType)
    assert atom.entry is not None
    a, b, c = _operands(call)
    zero = build.constant(0)
    result = build.raw(atom.entry.name, (a, b, c, zero, zero, zero), (c.type,)).results[0]
    return _returned(build, result, call.c.type)


def _mfma_scale(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, MfmaScaleType)
    m, n, k = atom.shape
    constants = (SCALED_FORMATS[str(atom.a)], SCALED_FORMATS[str(atom.b)], atom.opsel_a, atom.opsel_b)
    format_a, format_b, opsel_a, opsel_b = (build.constant(value) for value in constants)
    scales = (opsel_a, call.state["scale_a"], opsel_b, call.state["scale_b"])
    operands = (*_operands(call), format_a, format_b, *scales)
    name = f"rocdl.mfma.scale.f32.{m}x{n}x{k}.f8f6f4"
    return build.raw(name, operands, (call.c.type,)).results[0]


def _wmma(conversion: Conversion, call: MmaCall) -> SSAValue:
    atom, build = call.atom, call.build
    assert isinstance(atom, Gfx11WmmaType | Gfx120xWmmaType | Gfx1250WmmaType)
    entry = atom.entry
    assert entry is not None
    a, b, c = _operands(call)
    if entry.form == "halves":
        return _even(build, _wmma_halves(build, entry, a, b, c), call.c.type)
    attributes = _true_flags(signA=atom.sign_a, signB=atom.sign_b, clamp=atom.clamp)
    result = build.raw(entry.name, (a, b, c), (c.type,), attributes).results[0]
    return _returned(build, result, call.c.type)


def _wmma_scale(conversion: Conversion, call: MmaCall) -> SSAValue:
    """Without the formats of scales, which are e8m0, and, where all are f4, without those of a and b."""
    atom, build = call.atom, call.build
    assert isinstance(atom, Gfx1250WmmaScaleType)
    m, n, k = atom.shape
    attributes: dict[str, Attribute] = {} if m == 32 else _formats(atom)
    attributes["modC"] = IntegerAttr(atom.mod_c, i16)
    attributes |= {"scaleAType": IntegerAttr(atom.opsel_a, i32), "fmtScaleA": IntegerAttr(0, i32)}
    attributes |= {"scaleBType": IntegerAttr(atom.opsel_b, i32), "fmtScaleB": IntegerAttr(0, i32)}
    attributes |= _true_flags(reuseA=atom.reuse_a, reuseB=atom.reuse_b)
    scale = "scale" if atom.block_size == 32 else "scale16"
    name = f"rocdl.wmma.{scale}.f32.{m}x{n}x{k}.{'f4' if m == 32 else 'f8f6f4'}"
    operands = (*_operands(call), call.state["scale_a"], call.state["scale_b"])
    return build.raw(name, operands, (call.c.type,), attributes).results[0]


def _formats(atom: Gfx1250WmmaScaleType) -> dict[str, Attribute]:
    formats = (("fmtA", atom.a), ("fmtB", atom.b))
    return {name: IntegerAttr(SCALED_FORMATS[str(element)], i32) for name, element in formats}


def _true_flags(**flags: bool) -> dict[str, Attribute]:
    """Those that are set: false is what each is without being named."""
    return {name: IntegerAttr(1, i1) for name, value in sorted(flags.items()) if value}


def _wmma_halves(build: LLVMBuilder, entry: Intrinsic, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
    """gfx11 keeps 16-bit accumulators in the low halves of 8 registers: every other element of a vector of 16."""
    spread = build.create(
        vector.ShuffleOp,
        (c, c),
        (VectorType(_element(c.type), [16]),),
        properties={"mask": DenseArrayBase.from_list(i64, [i // 2 for i in range(16)])},
    ).results[0]
    return build.raw(entry.name, (a, b, spread), (spread.type,), {"opsel": IntegerAttr(0, i1)}).results[0]


def _even(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    properties = {"mask": DenseArrayBase.from_list(i64, [2 * i for i in range(8)])}
    even = build.value(vector.ShuffleOp, (value, value), VectorType(_element(value.type), [8]), properties)
    return build.bitcast(even, type_)


def _operands(call: MmaCall) -> tuple[SSAValue, SSAValue, SSAValue]:
    """a, b and c as the intrinsic takes them; a scalar where one value is all a thread holds."""
    values = zip((call.a, call.b, call.c), operand_types(call.atom), strict=True)
    a, b, c = (_as_operand(call.build, value, type_) for value, type_ in values)
    return a, b, c


def _as_operand(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    if isinstance(value.type, VectorType) and value.type.element_type == type_:
        properties = {"static_position": position(0)}
        return build.value(vector.ExtractOp, (value,), type_, properties)
    return build.bitcast(value, type_)


def _returned(build: LLVMBuilder, result: SSAValue, type_: Attribute) -> SSAValue:
    """d in the type in which c came."""
    if isinstance(type_, VectorType) and type_.element_type == result.type:
        return build.raw("vector.from_elements", (result,), (type_,)).results[0]
    return build.bitcast(result, type_)


def _element(type_: Attribute) -> Attribute:
    assert isinstance(type_, VectorType)
    element: Attribute = type_.element_type
    return element


MATRIX_HANDLERS: Mapping[type[MmaOpType], MmaHandler] = {
    MfmaScaleType: _mfma_scale,
    MfmaType: _mfma,
    Gfx11WmmaType: _wmma,
    Gfx120xWmmaType: _wmma,
    Gfx1250WmmaScaleType: _wmma_scale,
    Gfx1250WmmaType: _wmma,
}
MATRIX_OPERANDS: Mapping[type[MmaOpType], OperandTypes] = dict.fromkeys(MATRIX_HANDLERS, operand_types)


def _scales(atom: MfmaScaleType | Gfx1250WmmaScaleType) -> tuple[AtomField, ...]:
    """A byte of each 32 k, or of each 16 k: those that a thread has of a row."""
    if isinstance(atom, MfmaScaleType):
        return tuple(AtomField(name, i32) for name in atom.fields)
    type_ = i32 if atom.block_size == 32 else i64
    return tuple(AtomField(name, type_, is_exact=True) for name in atom.fields)


MATRIX_STATES: Mapping[type[Attribute], AtomState] = {MfmaScaleType: _scales, Gfx1250WmmaScaleType: _scales}
