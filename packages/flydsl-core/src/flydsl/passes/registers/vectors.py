"""Vectors of neighbouring registers, taken apart and put together; a scalar stands for a single register."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, ub, vector
from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation, SSAValue

from flydsl.ir.upstream import OPERATIONS
from flydsl.passes.cached_attributes import position, slice_properties, vector_of
from flydsl.passes.rewriting import create, insert_before

ExtractSlice = OPERATIONS["vector.extract_strided_slice"]
InsertSlice = OPERATIONS["vector.insert_strided_slice"]
FromElements = OPERATIONS["vector.from_elements"]
ShapeCast = OPERATIONS["vector.shape_cast"]
_NONE: Mapping[str, Attribute] = {}


def count_of(type_: Attribute) -> int:
    """The number of elements of a scalar or vector type."""
    return type_.element_count() if type(type_) is VectorType else 1


def joined(parts: Sequence[SSAValue], element: Attribute, type_: Attribute, at: Operation) -> SSAValue:
    """The parts, of `element`s, one after the other as a value of `type_`, made in front of `at`."""
    if len(parts) == 1 and (parts[0].type == type_ or count_of(parts[0].type) > 1 or type(type_) is not VectorType):
        return _cast(parts[0], type_, at)
    flat = vector_of(element, count_of(type_))
    if all(type(part.type) is not VectorType for part in parts):
        return _cast(_made(FromElements, parts, flat, at), type_, at)
    whole = _made(ub.PoisonOp, [], flat, at, {"value": ub.PoisonAttr()})
    start = 0
    for part in parts:
        if type(part.type) is VectorType:
            whole = _made(InsertSlice, [part, whole], flat, at, slice_properties(start))
        else:
            whole = _made(vector.InsertOp, [part, whole], flat, at, {"static_position": position(start)})
        start += count_of(part.type)
    return _cast(whole, type_, at)


def split(value: SSAValue, types: Sequence[Attribute], element: Attribute, at: Operation) -> list[SSAValue]:
    """The parts of a value with the given types, made in front of `at`."""
    total = count_of(value.type)
    if len(types) == 1 and count_of(types[0]) == total and (total > 1 or type(value.type) is not VectorType):
        return [_cast(value, types[0], at)]
    flat = _cast(value, vector_of(element, total), at)
    parts, start = [], 0
    for type_ in types:
        if type(type_) is VectorType:
            count = type_.element_count()
            parts.append(_made(ExtractSlice, [flat], type_, at, slice_properties(start, count)))
        else:
            parts.append(_made(vector.ExtractOp, [flat], type_, at, {"static_position": position(start)}))
        start += count_of(type_)
    return parts


def _cast(value: SSAValue, type_: Attribute, at: Operation) -> SSAValue:
    """The same bits in another shape, or as an element type of equal width."""
    if value.type == type_:
        return value
    source = value.type
    if type(source) is VectorType and type(type_) is VectorType and source.get_shape() != type_.get_shape():
        reshaped = VectorType(source.element_type, type_.get_shape())
        value = _made(ShapeCast, [value], reshaped, at)
    return value if value.type == type_ else _made(arith.BitcastOp, [value], type_, at)


def _made(
    op_class: type[Operation],
    operands: Sequence[SSAValue],
    type_: Attribute,
    at: Operation,
    properties: Mapping[str, Attribute] = _NONE,
) -> SSAValue:
    op = create(op_class, operands, (type_,), properties=properties, location=at.location)
    insert_before(op, at)
    return op.results[0]
