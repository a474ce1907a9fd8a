"""Pointers into buffer memory: a 128-bit resource and an element offset, accessed with bounds-checked buffer
instructions.
"""

from __future__ import annotations

from xdsl.dialects.builtin import VectorType, i16, i32, i64
from xdsl.ir import Attribute, SSAValue

from flydsl.backend.ir import MakePtrOp, PointerType, StructType, element_bits
from flydsl.backend.llvm import LLVMBuilder, pointer_type
from flydsl.backend.lowering import Conversion, MemorySpace, byte_offset, check_granule, swizzled, transfer_type
from flydsl.base.errors import IRError

RESOURCE = pointer_type(8)
BUFFER_POINTER = StructType((RESOURCE, i32))
_MAX_BYTES = 0xFFFFFFFF
_WIDTHS = (8, 16, 32, 64, 96, 128)


class BufferSpace(MemorySpace):
    """`#fly_rocdl.buffer_desc`: out-of-range loads return 0, out-of-range stores do nothing."""

    def llvm_type(self, type_: PointerType) -> Attribute:
        return BUFFER_POINTER

    def make(self, conversion: Conversion, op: MakePtrOp, type_: PointerType) -> SSAValue:
        """From (base, stride : i16, number of bytes : i64, flags : i32)."""
        if len(op.operands) != 4:
            raise IRError(
                f"a buffer pointer is made of base, stride, size and flags, found {len(op.operands)} operands"
            )
        build = conversion.build
        base, stride, size, flags = (conversion.value(operand) for operand in op.operands)
        operands = (
            base,
            build.integer_cast(stride, i16),
            build.integer_cast(size, i64),
            build.integer_cast(flags, i32),
        )
        resource = build.raw("rocdl.make.buffer.rsrc", operands, (RESOURCE,)).results[0]
        pointer = build.insert_value(build.undef(BUFFER_POINTER), resource, (0,))
        return build.insert_value(pointer, build.constant(0), (1,))

    def add_offset(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, offset: int | SSAValue) -> SSAValue:
        step = build.integer_cast(offset, i32) if isinstance(offset, SSAValue) else _constant(build, offset, type_)
        moved = build.add(build.extract_value(pointer, (1,), i32), step)
        return build.insert_value(pointer, moved, (1,))

    def load(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType, value_type: Attribute) -> SSAValue:
        return load_buffer(build, pointer, type_, value_type)

    def store(self, build: LLVMBuilder, value: SSAValue, pointer: SSAValue, type_: PointerType) -> None:
        store_buffer(build, value, pointer, type_)

    def address(self, build: LLVMBuilder, pointer: SSAValue, type_: PointerType) -> SSAValue:
        raise IRError(f"{type_} is a buffer resource and has no address; use the tensor it was made from")


def _constant(build: LLVMBuilder, offset: int, type_: PointerType) -> SSAValue:
    """A known offset in elements; the hardware adds offsets in bytes modulo 2^32."""
    if (abs(offset) * element_bits(type_.element)) >> 3 > _MAX_BYTES:
        raise IRError(
            f"an offset of {offset} elements of {type_.element} is beyond the {_MAX_BYTES} bytes that a buffer counts"
        )
    half = 1 << 31
    return build.constant((offset + half) % (2 * half) - half)


def resource_of(build: LLVMBuilder, pointer: SSAValue) -> SSAValue:
    """The resource of a buffer pointer."""
    return build.extract_value(pointer, (0,), RESOURCE)


def offset_bytes(build: LLVMBuilder, pointer: SSAValue, type_: PointerType) -> SSAValue:
    """The offset of a buffer pointer in bytes, with its swizzle applied."""
    offset = byte_offset(build, build.extract_value(pointer, (1,), i32), element_bits(type_.element))
    assert isinstance(offset, SSAValue)
    if type_.swizzle is None or type_.swizzle.mask == 0:
        return offset
    return swizzled(build, offset, type_.swizzle)


def load_buffer(
    build: LLVMBuilder,
    pointer: SSAValue,
    type_: PointerType,
    value_type: Attribute,
    *,
    scalar: SSAValue | None = None,
    cache: int = 0,
) -> SSAValue:
    """Read `value_type`; `scalar` is the wave-uniform offset in bytes."""
    transfer = _transfer_type(value_type, type_)
    operands = (resource_of(build, pointer), *_offsets(build, pointer, type_, scalar, cache))
    value = build.raw("rocdl.raw.ptr.buffer.load", operands, (transfer,)).results[0]
    return build.bitcast(value, value_type)


def store_buffer(
    build: LLVMBuilder,
    value: SSAValue,
    pointer: SSAValue,
    type_: PointerType,
    *,
    scalar: SSAValue | None = None,
    cache: int = 0,
) -> None:
    """Write a value; offsets as in `load_buffer`."""
    data = build.bitcast(value, _transfer_type(value.type, type_))
    resource = resource_of(build, pointer)
    build.raw("rocdl.raw.ptr.buffer.store", (data, resource, *_offsets(build, pointer, type_, scalar, cache)))


def buffer_type(value_type: Attribute) -> Attribute:
    """The type that a buffer instruction moves a value of `value_type` as."""
    bits = element_bits(value_type)
    if bits not in _WIDTHS:
        raise IRError(f"buffer instructions move {', '.join(map(str, _WIDTHS))} bits, not the {bits} of {value_type}")
    return VectorType(i32, [2]) if bits == 64 else transfer_type(bits)


def _transfer_type(value_type: Attribute, type_: PointerType) -> Attribute:
    if type_.swizzle is not None:
        check_granule(type_.swizzle, element_bits(value_type) // 8)
    return buffer_type(value_type)


def _offsets(
    build: LLVMBuilder, pointer: SSAValue, type_: PointerType, scalar: SSAValue | None, cache: int
) -> tuple[SSAValue, SSAValue, SSAValue]:
    offset = offset_bytes(build, pointer, type_)
    return offset, scalar if scalar is not None else build.constant(0), build.constant(cache)
