"""Lowering of what a warp does since sm_80 to PTX: mma.sync, ldmatrix, stmatrix and cp.async."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import VectorType, f32, i32
from xdsl.ir import Attribute, SSAValue

import flydsl.layout as fl
from flydsl.backend.atoms import CopyOpType, MmaOpType
from flydsl.backend.ir import GLOBAL, SHARED, element_bits
from flydsl.backend.lowering import Conversion, CopyCall, CopyHandler, Memory, MmaCall, MmaHandler, OperandTypes
from flydsl.base.errors import IRError
from flydsl_cuda.atoms.warp_types import CpAsyncType, LdMatrixType, MmaSyncType, StMatrixType
from flydsl_cuda.lowering.assembly import MEMORY, as_registers, assembly, from_registers

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
    registers = [as_registers(build, build.bitcast(value, type_)) for value, type_ in operands]
    m, n, k = atom.shape
    a, b = ("tf32" if str(kind) == "f32" else _NAMES.get(str(kind), str(kind)) for kind in (atom.a, atom.b))
    acc = _NAMES.get(str(atom.acc), str(atom.acc))
    count = len(registers[2])
    numbers = iter(range(count + sum(map(len, registers))))
    lists = ["{" + ", ".join(f"${next(numbers)}" for _ in range(size)) + "}" for size in (count, *map(len, registers))]
    text = f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{acc}.{a}.{b}.{acc} {', '.join(lists)};"
    values = [value for group in registers for value in group]
    return from_registers(build, assembly(build, text, values, [registers[2][0].type] * count, pure=True), call.c.type)


def _ldmatrix(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build, src = call.atom, call.build, call.src
    assert isinstance(atom, LdMatrixType)
    if not isinstance(src, Memory) or src.type.space != SHARED:
        raise IRError(f"{atom} copies shared memory to registers, found {_types_of(call)}")
    names = "{" + ", ".join(f"${i}" for i in range(atom.num)) + "}"
    text = f"{_matrix_name('ldmatrix', atom)} {names}, [${atom.num}];"
    # It reads memory, which the asm says by what it clobbers: it stays behind the barrier before it.
    parts = assembly(build, text, [src.address(build)], [i32] * atom.num, clobbers=[MEMORY])
    value = from_registers(build, parts, VectorType(i32, [atom.num]))
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
    assembly(build, text, [dst.address(build), *as_registers(build, value)], clobbers=[MEMORY])


def _matrix_name(name: str, atom: LdMatrixType | StMatrixType) -> str:
    return f"{name}.sync.aligned.m8n8.x{atom.num}{'.trans' if atom.trans else ''}.shared.b16"


def _cp_async(conversion: Conversion, call: CopyCall) -> None:
    atom, build, src, dst = call.atom, call.build, call.src, call.dst
    assert isinstance(atom, CpAsyncType)
    if not isinstance(src, Memory) or dst is None or src.type.space != GLOBAL or dst.type.space != SHARED:
        raise IRError(f"{atom} copies global to shared memory, found {_types_of(call)}")
    text = f"cp.async.{atom.cache}.shared.global [$0], [$1], {atom.bits // 8};"
    assembly(build, text, [dst.address(build), src.address(build)], clobbers=[MEMORY])


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
