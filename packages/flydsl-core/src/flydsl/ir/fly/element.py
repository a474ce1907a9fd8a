"""Element types of pointers and tensors, and their sizes."""

from __future__ import annotations

from functools import cache

from xdsl.dialects.builtin import FixedBitwidthType, IndexType, IntegerType, VectorType
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute

from flydsl.base.errors import FrontendError, IRError

_POINTER_BITS = 64


@cache
def element_bits(element: Attribute) -> int:
    """Width of a scalar or vector element in bits (fp4 has 4, fp6 has 6); raises `IRError` for types without a size."""
    if isinstance(element, IntegerType):
        return int(element.width.data)
    if isinstance(element, VectorType):
        return element.element_count() * element_bits(element.element_type)
    if isinstance(element, IndexType | LLVMPointerType):
        return _POINTER_BITS
    if isinstance(element, FixedBitwidthType):
        return int(element.bitwidth)
    raise IRError(f"{element} has no size: elements are integers, floats, pointers and vectors of them")


def element_bytes(element: Attribute) -> int:
    """Bytes of an element, at least 1: the natural alignment of a pointer to it."""
    return max(1, element_bits(element) // 8)


def element_type(element: object) -> Attribute:
    """The MLIR type of an element: a numeric type of the language has one, an MLIR type stays."""
    type_ = element.ir_type_of() if hasattr(element, "ir_type_of") else element
    if not isinstance(type_, Attribute):
        raise FrontendError(f"an element is of a numeric type such as fx.Float32 or of an MLIR type, found {element!r}")
    return type_
