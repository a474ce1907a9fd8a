"""Lowering of AMD copy atoms to buffer and LDS intrinsics."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, VectorType, i32
from xdsl.ir import Attribute, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.fly.atoms import CopyOpType
from flydsl.ir.fly.attributes import AtomicOp
from flydsl.ir.fly.element import element_bits
from flydsl.passes.convert_fly_to_llvm import AtomField, Conversion, CopyCall, Memory
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.to_llvm.intrinsics import call_intrinsic
from flydsl.passes.to_llvm.spaces import byte_offset
from flydsl.passes.to_llvm.target import CopyHandler
from flydsl.passes.to_llvm.universal_atoms import first_element, transfer_type
from flydsl_rocm.atoms.copy_types import (
    BufferAtomicType,
    BufferCopyLdsType,
    BufferCopyType,
    BufferLoadAsyncLdsType,
    GlobalLoadAsyncLdsType,
    LdsReadTransType,
)
from flydsl_rocm.lowering.buffer_space import (
    BUFFER_POINTER,
    load_buffer,
    offset_bytes,
    resource_of,
    store_buffer,
)

_INTEGER_ATOMICS = {
    AtomicOp.ADD: "add",
    AtomicOp.MAX: "smax",
    AtomicOp.MIN: "smin",
    AtomicOp.AND: "and",
    AtomicOp.OR: "or",
}
_INTEGER_ATOMICS |= {AtomicOp.INC: "inc", AtomicOp.DEC: "dec"}
_FLOAT_ATOMICS = {AtomicOp.ADD: "fadd", AtomicOp.MAX: "fmax", AtomicOp.MIN: "fmin"}


def _buffer_copy(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build = call.atom, call.build
    assert isinstance(atom, BufferCopyType)
    src, dst = call.src, call.dst
    if isinstance(src, Memory) and _is_buffer(src):
        offsets = {"immediate": _bytes(call, "imm_offset", src), "scalar": _bytes(call, "soffset", src)}
        value = load_buffer(
            build, src.pointer, src.type, call.result or transfer_type(atom.bits), cache=atom.cache, **offsets
        )
    elif isinstance(src, Memory):
        value = src.load(build, transfer_type(atom.bits))
    else:
        value = src
    if dst is None:
        return value
    if _is_buffer(dst):
        offsets = {"immediate": _bytes(call, "imm_offset", dst), "scalar": _bytes(call, "soffset", dst)}
        store_buffer(build, value, dst.pointer, dst.type, cache=atom.cache, **offsets)
    else:
        dst.store(build, value)
    return None


def _buffer_to_lds(conversion: Conversion, call: CopyCall) -> None:
    atom, build = call.atom, call.build
    src, dst = _memories(call)
    if not _is_buffer(src):
        raise IRError(f"{atom} reads buffer memory, found {src.type}")
    operands = (
        resource_of(build, src.pointer),
        dst.address(build),
        build.constant(atom.bits // 8),
        offset_bytes(build, src.pointer, src.type),
        _bytes(call, "soffset", src),
        _immediate(call, "imm_offset"),
        build.constant(0),
    )
    build.raw("rocdl.raw.ptr.buffer.load.lds", operands)


def _global_to_lds(conversion: Conversion, call: CopyCall) -> None:
    atom, build = call.atom, call.build
    assert isinstance(atom, GlobalLoadAsyncLdsType)
    src, dst = _memories(call)
    attributes: dict[str, Attribute] = {
        "size": IntegerAttr(atom.bits // 8, i32),
        "offset": IntegerAttr(0, i32),
        "aux": IntegerAttr(0, i32),
    }
    build.raw("rocdl.global.load.lds", (src.address(build), dst.address(build)), (), attributes)


def _buffer_atomic(conversion: Conversion, call: CopyCall) -> None:
    atom, build, dst = call.atom, call.build, call.dst
    assert isinstance(atom, BufferAtomicType)
    if dst is None or not _is_buffer(dst):
        raise IRError(f"{atom} writes to buffer memory")
    element = storage_type(atom.value_type)
    value = call.src.load(build, element) if isinstance(call.src, Memory) else call.src
    value = value if isinstance(element, VectorType) else first_element(build, value)
    operands = (
        value,
        resource_of(build, dst.pointer),
        offset_bytes(build, dst.pointer, dst.type),
        _bytes(call, "soffset", dst),
        build.constant(0),
    )
    call_intrinsic(build, f"llvm.amdgcn.raw.ptr.buffer.atomic.{_atomic_name(atom)}", operands, (value.type,))


def _atomic_name(atom: BufferAtomicType) -> str:
    scalar = atom.value_type.element_type if isinstance(atom.value_type, VectorType) else atom.value_type
    names = _FLOAT_ATOMICS if isinstance(scalar, AnyFloat) else _INTEGER_ATOMICS
    if atom.op.data not in names:
        raise IRError(f"there is no buffer atomic {atom.op.data.value!r} on {atom.value_type}")
    return names[atom.op.data]


def _lds_read_trans(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build, src = call.atom, call.build, call.src
    assert isinstance(atom, LdsReadTransType)
    if not isinstance(src, Memory):
        raise IRError(f"{atom} reads LDS, found a register source")
    width, address = atom.granularity, src.address(build)
    element: Attribute = IntegerType(16) if width == 16 else i32
    count = atom.bits // (16 if width == 16 else 32)
    value = build.raw(f"rocdl.ds.read.tr{width}.b{atom.bits}", (address,), (VectorType(element, [count]),)).results[0]
    if call.dst is None:
        return build.bitcast(value, call.result or value.type)
    call.dst.store(build, value)
    return None


def _memories(call: CopyCall) -> tuple[Memory, Memory]:
    if not isinstance(call.src, Memory) or call.dst is None:
        raise IRError(f"{call.atom} copies from memory to LDS, found a register operand")
    return call.src, call.dst


def _is_buffer(memory: Memory) -> bool:
    return memory.pointer.type == BUFFER_POINTER


def _bytes(call: CopyCall, field: str, memory: Memory) -> SSAValue:
    """A state field, given in elements of the buffer, in bytes."""
    offset = byte_offset(call.build, call.state[field], element_bits(memory.type.element))
    assert isinstance(offset, SSAValue)
    return offset


def _immediate(call: CopyCall, field: str) -> SSAValue:
    """A state field that is part of the instruction, as the constant that it was set to."""
    value = call.state[field]
    while isinstance(value.owner, llvm.ExtractValueOp):
        struct, position = value.owner.container, value.owner.position
        while isinstance(struct.owner, llvm.InsertValueOp) and struct.owner.position != position:
            struct = struct.owner.container
        if not isinstance(struct.owner, llvm.InsertValueOp):
            break
        value = struct.owner.value
    if not isinstance(value.owner, arith.ConstantOp) or not isinstance(value.owner.value, IntegerAttr):
        raise IRError(f"{field} of {call.atom} is part of the instruction: it must be known while compiling")
    return call.build.constant(value.owner.value.value.data)


_OFFSETS = (AtomField("soffset", i32), AtomField("imm_offset", i32))

COPY_HANDLERS: Mapping[type[CopyOpType], CopyHandler] = {
    BufferAtomicType: _buffer_atomic,
    BufferCopyLdsType: _buffer_to_lds,
    BufferCopyType: _buffer_copy,
    BufferLoadAsyncLdsType: _buffer_to_lds,
    GlobalLoadAsyncLdsType: _global_to_lds,
    LdsReadTransType: _lds_read_trans,
}
COPY_STATES: Mapping[type[Attribute], tuple[AtomField, ...]] = {
    BufferAtomicType: _OFFSETS[:1],
    BufferCopyLdsType: _OFFSETS,
    BufferCopyType: _OFFSETS,
    BufferLoadAsyncLdsType: _OFFSETS,
}
