"""Lowering of AMD copy atoms to buffer and LDS intrinsics."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, Signedness, VectorType, i32
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.atoms import CopyOpType
from flydsl.backend.ir import AtomicOp
from flydsl.backend.llvm import call_intrinsic
from flydsl.backend.lowering import (
    AtomField,
    Conversion,
    CopyCall,
    CopyHandler,
    Memory,
    first_element,
    storage_type,
    transfer_type,
)
from flydsl.base.errors import IRError
from flydsl_rocm.atoms.copy_operands import is_buffer, is_global, memories, scalar_bytes, types_of
from flydsl_rocm.atoms.copy_types import (
    BufferAtomicType,
    BufferCopyLdsType,
    BufferCopyType,
    BufferLoadAsyncLdsType,
    GlobalLoadAsyncLdsType,
)
from flydsl_rocm.lowering.buffer_space import (
    load_buffer,
    offset_bytes,
    resource_of,
    store_buffer,
)
from flydsl_rocm.passes.lower_async_copies import FROM_BUFFER, FROM_GLOBAL, constant_of_state

_INTEGER_ATOMICS = {
    AtomicOp.ADD: "add",
    AtomicOp.MAX: "smax",
    AtomicOp.MIN: "smin",
    AtomicOp.AND: "and",
    AtomicOp.OR: "or",
}
_INTEGER_ATOMICS |= {AtomicOp.INC: "inc", AtomicOp.DEC: "dec"}
_UNSIGNED_ATOMICS = _INTEGER_ATOMICS | {AtomicOp.MAX: "umax", AtomicOp.MIN: "umin"}
_IMMEDIATES = 1 << 12  # bits of the offset of a buffer instruction of gfx9
_FLOAT_ATOMICS = {AtomicOp.ADD: "fadd", AtomicOp.MAX: "fmax", AtomicOp.MIN: "fmin"}


def _buffer_copy(conversion: Conversion, call: CopyCall) -> SSAValue | None:
    atom, build, src, dst = call.atom, call.build, call.src, call.dst
    assert isinstance(atom, BufferCopyType)
    if isinstance(src, Memory) and is_buffer(src):
        scalar = scalar_bytes(call, src)
        value = load_buffer(
            build, src.pointer, src.type, call.result or transfer_type(atom.bits), cache=atom.cache, scalar=scalar
        )
        if dst is not None:
            dst.store(build, value)
        return value if dst is None else None
    if dst is None or not is_buffer(dst):
        raise IRError(
            f"{atom} reads or writes a buffer tensor, found {types_of(call)}: "
            "make one with fx.rocdl.make_buffer_tensor, or use fx.UniversalCopy"
        )
    scalar = scalar_bytes(call, dst)
    value = src.load(build, transfer_type(atom.bits)) if isinstance(src, Memory) else src
    store_buffer(build, value, dst.pointer, dst.type, cache=atom.cache, scalar=scalar)
    return None


def _buffer_to_lds(conversion: Conversion, call: CopyCall) -> None:
    atom, build = call.atom, call.build
    src, dst = memories(call, "a buffer tensor", is_buffer)
    scalar, immediate = scalar_bytes(call, src), call.state["imm_offset"]
    _check_immediate(call, immediate)
    zero, size = build.constant(0), build.constant(atom.bits // 8)
    resource, offset = resource_of(build, src.pointer), offset_bytes(build, src.pointer, src.type)
    operands = (resource, dst.address(build), size, offset, scalar, immediate, zero)
    is_async = isinstance(atom, BufferLoadAsyncLdsType)
    build.raw(FROM_BUFFER if is_async else "rocdl.raw.ptr.buffer.load.lds", operands)


def _global_to_lds(conversion: Conversion, call: CopyCall) -> None:
    atom, build = call.atom, call.build
    assert isinstance(atom, GlobalLoadAsyncLdsType)
    src, dst = memories(call, "a tensor in global memory", is_global)
    attributes: dict[str, Attribute] = {
        "size": IntegerAttr(atom.bits // 8, i32),
        "offset": IntegerAttr(0, i32),
        "aux": IntegerAttr(0, i32),
    }
    build.raw(FROM_GLOBAL, (src.address(build), dst.address(build)), (), attributes)


def _buffer_atomic(conversion: Conversion, call: CopyCall) -> None:
    atom, build, dst = call.atom, call.build, call.dst
    assert isinstance(atom, BufferAtomicType)
    if dst is None or not is_buffer(dst):
        raise IRError(
            f"{atom} combines registers with a buffer tensor, found {types_of(call)}: "
            "make one with fx.rocdl.make_buffer_tensor, or use fx.UniversalAtomic"
        )
    scalar = scalar_bytes(call, dst)
    element = storage_type(atom.value_type)
    if isinstance(element, IntegerType):
        element = IntegerType(element.width.data)  # registers have no signs
    value = call.src.load(build, element) if isinstance(call.src, Memory) else call.src
    value = value if isinstance(element, VectorType) else first_element(build, value)
    operands = (
        value,
        resource_of(build, dst.pointer),
        offset_bytes(build, dst.pointer, dst.type),
        scalar,
        build.constant(0),
    )
    call_intrinsic(build, f"llvm.amdgcn.raw.ptr.buffer.atomic.{_atomic_name(atom)}", operands, (value.type,))


def _atomic_name(atom: BufferAtomicType) -> str:
    scalar = atom.value_type.element_type if isinstance(atom.value_type, VectorType) else atom.value_type
    unsigned = isinstance(scalar, IntegerType) and scalar.signedness.data is Signedness.UNSIGNED
    names = _FLOAT_ATOMICS if isinstance(scalar, AnyFloat) else _UNSIGNED_ATOMICS if unsigned else _INTEGER_ATOMICS
    if atom.op.data not in names:
        raise IRError(f"there is no buffer atomic {atom.op.data.value!r} on {atom.value_type}")
    return names[atom.op.data]


def _check_immediate(call: CopyCall, value: SSAValue) -> None:
    """Refuse a constant that the instruction has no bits for."""
    number = constant_of_state(value)
    if number is not None and not 0 <= number < _IMMEDIATES:
        raise IRError(f"imm_offset of {call.atom} is 0 to {_IMMEDIATES - 1} bytes, found {number}; use soffset")


_OFFSETS = (AtomField("soffset", i32), AtomField("imm_offset", i32))

COPY_HANDLERS: Mapping[type[CopyOpType], CopyHandler] = {
    BufferAtomicType: _buffer_atomic,
    BufferCopyLdsType: _buffer_to_lds,
    BufferCopyType: _buffer_copy,
    BufferLoadAsyncLdsType: _buffer_to_lds,
    GlobalLoadAsyncLdsType: _global_to_lds,
}
COPY_STATES: Mapping[type[Attribute], tuple[AtomField, ...]] = {
    BufferAtomicType: _OFFSETS[:1],
    BufferCopyLdsType: _OFFSETS,
    BufferCopyType: _OFFSETS[:1],
    BufferLoadAsyncLdsType: _OFFSETS,
}
