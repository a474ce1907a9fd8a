"""Lowering of Fly pointer operations to LLVM pointer arithmetic, loads and stores."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Operation

from flydsl.backend.conversion.conversion import Conversion, Handlers
from flydsl.backend.conversion.memory_spaces import SharedSpace
from flydsl.base.errors import IRError
from flydsl.ir.fly import (
    AddOffsetOp,
    ApplySwizzleOp,
    GetDynSharedOp,
    GetScalarOp,
    InttoptrOp,
    MakeIntTupleOp,
    MakeLayoutOp,
    MakePtrOp,
    MakeViewOp,
    PtrLoadOp,
    PtrStoreOp,
    PtrtointOp,
    RecastIterOp,
    ToLlvmPtrOp,
)
from flydsl.ir.fly.attributes import GENERIC
from flydsl.ir.fly.types import PointerType
from flydsl.passes.to_llvm.builder import raw_operation


def _made_pointer(conversion: Conversion, op: Operation) -> PointerType:
    type_ = op.results[0].type
    if not isinstance(type_, PointerType):
        raise IRError(f"{op.name} makes a pointer, found {type_}")
    return type_


def _make_ptr(conversion: Conversion, op: MakePtrOp) -> None:
    type_ = _made_pointer(conversion, op)
    conversion.define(op, conversion.space(type_).make(conversion, op, type_))


def _get_dyn_shared(conversion: Conversion, op: GetDynSharedOp) -> None:
    type_ = _made_pointer(conversion, op)
    space = conversion.space(type_)
    if not isinstance(space, SharedSpace):
        raise IRError(f"target {conversion.target.name!r} has no dynamic shared memory")
    conversion.define(op, space.make_dynamic(conversion, type_))


def _add_offset(conversion: Conversion, op: AddOffsetOp) -> None:
    type_ = conversion.pointer_type(op.iter)
    offset = conversion.offset(op.offset)
    pointer = conversion.value(op.iter)
    conversion.define(op, conversion.space(type_).add_offset(conversion.build, pointer, type_, offset))


def _recast_iter(conversion: Conversion, op: RecastIterOp) -> None:
    pointer, type_ = conversion.value(op.input), conversion.types(op.result.type)
    if pointer.type != type_:
        if not (isinstance(pointer.type, llvm.LLVMPointerType) and isinstance(type_, llvm.LLVMPointerType)):
            raise IRError(f"{conversion.type_of(op.input)} cannot be recast to {op.result.type}")
        pointer = conversion.build.value(raw_operation("llvm.addrspacecast"), (pointer,), type_)
    conversion.define(op, pointer)


def _same_pointer(conversion: Conversion, op: ApplySwizzleOp | MakeViewOp) -> None:
    """The address does not change: swizzle and layout are in the type."""
    if isinstance(conversion.type_of(op.operands[0]), PointerType):
        conversion.define(op, conversion.value(op.operands[0]))


def _int_to_ptr(conversion: Conversion, op: InttoptrOp) -> None:
    number = conversion.value(op.input)
    if isinstance(number.type, IndexType):
        number = conversion.build.integer_cast(number, i64)
    pointer = conversion.types(op.result.type)
    if not isinstance(pointer, llvm.LLVMPointerType):
        raise IRError(f"an integer cannot become a {op.result.type}")
    conversion.define(op, conversion.build.value(llvm.IntToPtrOp, (number,), pointer))


def _ptr_to_int(conversion: Conversion, op: PtrtointOp) -> None:
    pointer, type_ = conversion.value(op.input), op.result.type
    if not isinstance(pointer.type, llvm.LLVMPointerType):
        raise IRError(f"a {conversion.type_of(op.input)} has no address")
    number = conversion.build.value(llvm.PtrToIntOp, (pointer,), i64 if isinstance(type_, IndexType) else type_)
    conversion.define(op, conversion.build.cast_index(number, type_))


def _to_llvm_ptr(conversion: Conversion, op: ToLlvmPtrOp) -> None:
    """The address in the space that is asked for, which must be the pointer's own where the target has several.

    Without one it is the generic address.
    """
    memory = conversion.memory(op.input)
    pointer, asked = memory.address(conversion.build), op.llvm_address_space
    if pointer.type != op.result.type:
        if asked is not None and (memory.type.space == GENERIC or pointer.type != llvm.LLVMPointerType()):
            raise IRError(
                f"the address space {asked} is asked of {memory.type}, which is {pointer.type} for this target; "
                "ask for its own space, or leave llvm_address_space out for the generic address"
            )
        pointer = conversion.build.value(raw_operation("llvm.addrspacecast"), (pointer,), op.result.type)
    conversion.define(op, pointer)


def _load(conversion: Conversion, op: PtrLoadOp) -> None:
    value_type = conversion.types(op.result.type)
    conversion.define(op, conversion.memory(op.ptr).load(conversion.build, value_type))


def _store(conversion: Conversion, op: PtrStoreOp) -> None:
    conversion.memory(op.ptr).store(conversion.build, conversion.value(op.value))


def _get_scalar(conversion: Conversion, op: GetScalarOp) -> None:
    leaf = conversion.offset(op.operands[0])
    type_ = op.results[0].type
    value = conversion.build.constant(leaf, type_) if isinstance(leaf, int) else leaf  # type: ignore[arg-type]
    conversion.define(op, value)


def _nothing(conversion: Conversion, op: Operation) -> None:
    """The value is in the type, or in the operands that users look up."""


POINTER_HANDLERS: Handlers = {
    AddOffsetOp: _add_offset,
    ApplySwizzleOp: _same_pointer,
    GetDynSharedOp: _get_dyn_shared,
    GetScalarOp: _get_scalar,
    InttoptrOp: _int_to_ptr,
    MakeIntTupleOp: _nothing,
    MakeLayoutOp: _nothing,
    MakePtrOp: _make_ptr,
    MakeViewOp: _same_pointer,
    PtrLoadOp: _load,
    PtrStoreOp: _store,
    PtrtointOp: _ptr_to_int,
    RecastIterOp: _recast_iter,
    ToLlvmPtrOp: _to_llvm_ptr,
}
