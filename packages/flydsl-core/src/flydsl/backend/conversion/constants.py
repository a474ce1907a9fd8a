"""Constants of float types that LLVM lacks, as integer constants of the same bits."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, IntegerType, VectorType
from xdsl.ir import Attribute

from flydsl.base.errors import IRError


def narrow_constant(value: Attribute, type_: Attribute) -> Attribute:
    """`value` as a constant of the integer (or integer vector) type `type_`."""
    if isinstance(value, FloatAttr) and isinstance(type_, IntegerType):
        return IntegerAttr(_bits(value.type, value.value.data), type_)
    if isinstance(value, DenseIntOrFPElementsAttr) and isinstance(type_, VectorType):
        element = value.get_element_type()
        return DenseIntOrFPElementsAttr.from_list(type_, [_bits(element, float(v)) for v in value.get_values()])
    raise IRError(f"a constant {value} cannot be written as {type_}")


def _bits(type_: Attribute, value: float) -> int:
    encode = getattr(type_, "encode_bits", None)
    if encode is None:
        raise IRError(f"constants of {type_} are not supported")
    bits = encode(value)
    assert isinstance(bits, int)
    return bits
