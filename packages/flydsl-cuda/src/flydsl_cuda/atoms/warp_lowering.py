"""Lowering of what a warp does since sm_80 to PTX: mma.sync, ldmatrix, stmatrix and cp.async."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import DenseArrayBase, StringAttr, UnitAttr, VectorType, f32, i32, i64
from xdsl.dialects.llvm import InlineAsmOp
from xdsl.dialects.vector import ExtractOp
from xdsl.ir import Attribute, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType
from flydsl.ir.fly.attributes import GLOBAL, SHARED
from flydsl.ir.fly.element import element_bits
from flydsl.ir.upstream import StructType
from flydsl.passes.convert_fly_to_llvm import Conversion, CopyCall, Memory, MmaCall
from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl.passes.to_llvm.target import CopyHandler, MmaHandler, OperandTypes
from flydsl_cuda.atoms.warp_types import CpAsyncType, LdMatrixType, MmaSyncType, StMatrixType

_NAMES = {"f8E4M3FN": "e4m3", "f8E5M2": "e5m2", "i8": "s8", "i32": "s32"}
"""PTX's names of element types, where they are not those of the dialect."""
_REGISTER = 32


def operand_types(atom: MmaSyncType) -> tuple[Attribute, Attribute, Attribute]:
    """a, b and c as the registers of the instruction."""
    a, b, c = (
        VectorType(f32 if str(element) == "f32" and at == 2 else i32, [_registers(layout, element)])
        for at, (layout, element) in enumerate(zip(atom.tv_layouts, (atom.a, atom.b, atom.acc), strict=True))
    )
    return a, b, c


def _registers(layout: fl.Layout, element: Attribute) -> int:
    values = fl.size(fl.get(layout, 1))
    assert isinstance(values, int)
    return values * element_bits(element) // _REGISTER


def _mma(conversion: Conversion, call: MmaCall) -> SSAValue:
    """Pure: what it gives depends on its operands alone."""
    atom, build = call.atom, call.build
    assert isinstance(atom, MmaSyncType)
    operands = zip((call.a, call.b, call.c), operand_types(atom), strict=True)
    registers = [_elements(build, build.bitcast(value, type_)) for value, type_ in operands]
    m, n, k = atom.shape
    a, b = ("tf32" if str(kind) == "f32" else _NAMES.get(str(kind), str(kind)) for kind in (atom.a, atom.b))
    acc = _NAMES.get(str(atom.acc), str(atom.acc))
    count = len(registers[2])
    numbers = iter(range(count + sum(map(len, registers))))
    lists = ["{" + ", ".join(f"${next(numbers)}" for _ in range(size)) + "}" for size in (count, *map(len, registers))]
    text = f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{acc}.{a}.{b}.{acc} {', '.join(lists)};"
    result = _assembly(build, text, [value for group in registers for value in group], [registers[2][0].type] * count)
    vector = build.raw("vector.from_elements", result, (VectorType(registers[2][0].type, [count]),)).results[0]
    return build.bitcast(vector, call.c.type)


def _ldmatrix(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build, src = call.atom, call.build, call.src
    assert isinstance(atom, LdMatrixType)
    if not isinstance(src, Memory) or src.type.space != SHARED:
        raise IRError(f"{atom} copies shared memory to registers, found {_types_of(call)}")
    names = "{" + ", ".join(f"${i}" for i in range(atom.num)) + "}"
    text = f"{_matrix_name('ldmatrix', atom)} {names}, [${atom.num}];"
    # It reads memory, which the asm says by what it clobbers: it stays behind the barrier before it.
    parts = _assembly(build, text, [src.address(build)], [i32] * atom.num, touches_memory=True)
    value = build.raw("vector.from_elements", parts, (VectorType(i32, [atom.num]),)).results[0]
    if call.dst is None:
        return build.bitcast(value, call.result or value.type)
    call.dst.store(build, value)
    return None


def _stmatrix(conversion: Conversion, call: CopyCall) -> None:
    atom, build, dst = call.atom, call.build, call.dst
    assert isinstance(atom, StMatrixType)
    if dst is None or dst.type.space != SHARED:
        raise IRError(f"{atom} copies registers to shared memory, found {_types_of(call)}")
    type_ = VectorType(i32, [atom.num])
    value = call.src.load(build, type_) if isinstance(call.src, Memory) else build.bitcast(call.src, type_)
    names = "{" + ", ".join(f"${i + 1}" for i in range(atom.num)) + "}"
    text = f"{_matrix_name('stmatrix', atom)} [$0], {names};"
    _assembly(build, text, [dst.address(build), *_elements(build, value)], [], touches_memory=True)


def _matrix_name(name: str, atom: LdMatrixType | StMatrixType) -> str:
    return f"{name}.sync.aligned.m8n8.x{atom.num}{'.trans' if atom.trans else ''}.shared.b16"


def _cp_async(conversion: Conversion, call: CopyCall) -> None:
    atom, build, src, dst = call.atom, call.build, call.src, call.dst
    assert isinstance(atom, CpAsyncType)
    if not isinstance(src, Memory) or dst is None or src.type.space != GLOBAL or dst.type.space != SHARED:
        raise IRError(f"{atom} copies global to shared memory, found {_types_of(call)}")
    text = f"cp.async.{atom.cache}.shared.global [$0], [$1], {atom.bits // 8};"
    _assembly(build, text, [dst.address(build), src.address(build)], [], touches_memory=True)


def _assembly(
    build: LLVMBuilder,
    text: str,
    operands: Sequence[SSAValue],
    types: Sequence[Attribute],
    touches_memory: bool = False,
) -> list[SSAValue]:
    """The results of PTX; an address in shared memory has 32 bits, another one 64."""
    results = ["=f" if type_ == f32 else "=r" for type_ in types]
    constraints = [*results, *(_class_of(operand) for operand in operands)]
    properties: dict[str, Attribute] = {
        "asm_string": StringAttr(text),
        "constraints": StringAttr(",".join([*constraints, *(["~{memory}"] if touches_memory else [])])),
    }
    if touches_memory:
        properties["has_side_effects"] = UnitAttr()
    result: tuple[Attribute, ...] = tuple(types) if len(types) < 2 else (StructType(tuple(types)),)
    op = build.create(InlineAsmOp, operands, result, properties=properties)
    if len(types) < 2:
        return list(op.results)
    return [build.extract_value(op.results[0], (i,), type_) for i, type_ in enumerate(types)]


def _class_of(operand: SSAValue) -> str:
    if operand.type == f32:
        return "f"
    return "r" if operand.type == i32 or str(operand.type) == "!llvm.ptr<3>" else "l"


def _elements(build: LLVMBuilder, value: SSAValue) -> list[SSAValue]:
    assert isinstance(value.type, VectorType)
    (count,) = value.type.get_shape()
    element = value.type.element_type
    return [
        build.value(ExtractOp, (value,), element, {"static_position": DenseArrayBase.from_list(i64, [i])})
        for i in range(count)
    ]


def _types_of(call: CopyCall) -> str:
    target = call.op.operands[2].type if call.dst is not None else "registers"
    return f"{call.op.operands[1].type} to {target}"


WARP_MMAS: Mapping[type[MmaOpType], MmaHandler] = {MmaSyncType: _mma}
WARP_MMA_OPERANDS: Mapping[type[MmaOpType], OperandTypes] = {MmaSyncType: operand_types}
WARP_COPIES: Mapping[type[CopyOpType], CopyHandler] = {
    CpAsyncType: _cp_async,
    LdMatrixType: _ldmatrix,
    StMatrixType: _stmatrix,
}
