"""Sizes and alignments of LLVM-compatible types, by the data layout of 64-bit targets."""

from __future__ import annotations

from xdsl.dialects.llvm import LLVMArrayType
from xdsl.ir import Attribute

from flydsl.ir.fly.element import element_bits


def size_of(type_: Attribute) -> int:
    """Bytes from one array element of this type to the next."""
    if isinstance(type_, LLVMArrayType):
        return type_.size.data * size_of(type_.type)
    return _round_up((element_bits(type_) + 7) // 8, alignment_of(type_))


def alignment_of(type_: Attribute) -> int:
    """Natural alignment in bytes: the size rounded up to a power of two."""
    if isinstance(type_, LLVMArrayType):
        return alignment_of(type_.type)
    size = max(1, (element_bits(type_) + 7) // 8)
    return 1 << (size - 1).bit_length()


def _round_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple
