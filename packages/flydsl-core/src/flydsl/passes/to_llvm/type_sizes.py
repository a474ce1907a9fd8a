"""An LLVM-compatible type in, its size and alignment in memory out, by the data layout of 64-bit targets."""

from __future__ import annotations

from flydsl.base.errors import IRError
from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerType, VectorType
from xdsl.dialects.llvm import LLVMArrayType, LLVMPointerType
from xdsl.ir import Attribute

__all__ = ["alignment_of", "bit_width", "size_of"]


def bit_width(type_: Attribute) -> int:
    """Bits of a scalar or vector value."""
    if isinstance(type_, IndexType):
        return 64
    if isinstance(type_, IntegerType):
        return type_.width.data
    if isinstance(type_, FixedBitwidthType):
        return type_.bitwidth
    if isinstance(type_, LLVMPointerType):
        return 64
    if isinstance(type_, VectorType):
        count = 1
        for extent in type_.get_shape():
            count *= extent
        return count * bit_width(type_.element_type)
    raise IRError(f"type {str(type_)!r} has no known width")


def size_of(type_: Attribute) -> int:
    """Bytes from one array element of this type to the next."""
    if isinstance(type_, LLVMArrayType):
        return type_.size.data * size_of(type_.type)
    return _round_up((bit_width(type_) + 7) // 8, alignment_of(type_))


def alignment_of(type_: Attribute) -> int:
    """Natural alignment in bytes: the size rounded up to a power of two."""
    if isinstance(type_, LLVMArrayType):
        return alignment_of(type_.type)
    size = max(1, (bit_width(type_) + 7) // 8)
    return 1 << (size - 1).bit_length()


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
