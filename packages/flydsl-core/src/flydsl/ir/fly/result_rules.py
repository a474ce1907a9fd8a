"""Result types of operations on tensors, pointers, atoms and tiled operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import IntAttr, IntegerType, NoneAttr, VectorType, i8
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, TypeAttribute

import flydsl.layout as fl
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import REGISTER, SHARED, MmaOperand
from flydsl.ir.fly.types import (
    ComposedLayoutType,
    CoordTensorType,
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MemRefType,
    MmaAtomType,
    PayloadType,
    PointerType,
    SwizzleType,
    TiledCopyType,
    TiledMmaType,
    TileType,
    payload_type,
)
from flydsl.layout.int_tuple import flat

_DYN_SHARED_ALIGN = 1024

Types = tuple[Attribute, ...]
Attributes = dict[str, Any]


class WrongOperand(Exception):
    """An operand of the wrong kind; becomes an `IRError` with the whole operation."""


def payload_of(type_: Attribute) -> Any:
    """The layout value that a type holds; a tensor's is its layout."""
    if isinstance(type_, PayloadType):
        return type_.value
    if isinstance(type_, MemRefType | CoordTensorType):
        return type_.layout
    raise WrongOperand(f"expected an int_tuple, layout, tile, swizzle or tensor, found {type_}")


def moved(tensor: MemRefType | CoordTensorType, offset: fl.IntTuple, layout: Any) -> Attribute:
    """The tensor at an offset from the iterator, with another layout."""
    iterator = tensor.pointer if isinstance(tensor, MemRefType) else IntTupleType(tensor.base)
    return _view(_offset(iterator, offset), layout)


def _offset(iterator: PointerType | IntTupleType, offset: fl.IntTuple) -> PointerType | IntTupleType:
    if isinstance(iterator, IntTupleType):
        return IntTupleType(fl.int_tuple_add(iterator.value, offset)) if offset != 0 else iterator
    while isinstance(offset, tuple) and len(offset) == 1:
        offset = offset[0]
    if isinstance(offset, fl.Dyn):
        return iterator.with_offset(offset.div)
    if not isinstance(offset, int):
        raise WrongOperand(f"a pointer moves by one number of elements, found {offset}")
    return iterator.with_offset(abs(offset))


def _view(iterator: PointerType | IntTupleType, layout: Any) -> Attribute:
    if isinstance(iterator, IntTupleType):
        return CoordTensorType(iterator.value, layout)
    return MemRefType(iterator.element, iterator.space, layout, iterator.align, iterator.swizzle)


def _take(types: Types, *kinds: Any) -> list[Any]:
    """The operand types, each checked against a type or several; a trailing None makes the last operand optional."""
    wanted = [kind for kind in kinds if kind is not None]
    least = len(wanted) - (kinds[-1] is None)
    if not least <= len(types) <= len(wanted):
        raise WrongOperand(f"takes {len(wanted)} operands, found {len(types)}")
    for index, (type_, kind) in enumerate(zip(types, wanted, strict=False)):
        if not isinstance(type_, kind):
            names = " or ".join(k.name for k in (kind if isinstance(kind, tuple) else (kind,)))
            raise WrongOperand(f"operand {index} must be {names}, found {type_}")
    return list(types)


_LAYOUT = (LayoutType, ComposedLayoutType)
_TENSOR = (MemRefType, CoordTensorType)
_ITERATOR = (PointerType, IntTupleType)


def _get_scalar(types: Types, attributes: Attributes) -> Attribute:
    (operand,) = _take(types, IntTupleType)
    return _scalar(operand.value)


def _get_leaves(types: Types, attributes: Attributes) -> Types:
    (operand,) = _take(types, IntTupleType)
    if attributes.get("dynamicOnly"):
        return tuple(_scalar(leaf) for leaf in fl.leaves(operand.value))
    flat = fl.flatten(operand.value)
    return tuple(_scalar(leaf) for leaf in (flat if isinstance(flat, tuple) else (flat,)))


def _scalar(value: fl.IntTuple) -> Attribute:
    while isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if isinstance(value, fl.Dyn):
        return IntegerType(value.width)
    if isinstance(value, int):
        return IntegerType(32 if -(1 << 31) <= value < 1 << 31 else 64)
    raise WrongOperand(f"a scalar is a single integer leaf, found {value}")


def _get_layout(types: Types, attributes: Attributes) -> Attribute:
    (tensor,) = _take(types, _TENSOR)
    return payload_type(tensor.layout)


def _get_iter(types: Types, attributes: Attributes) -> Attribute:
    (tensor,) = _take(types, _TENSOR)
    return tensor.pointer if isinstance(tensor, MemRefType) else IntTupleType(tensor.base)


def _make_view(types: Types, attributes: Attributes) -> Attribute:
    iterator, layout = _take(types, _ITERATOR, _LAYOUT)
    return _view(iterator, layout.value)


def _make_fragment_like(types: Types, attributes: Attributes) -> Attribute:
    (ref,) = _take(types, (*_TENSOR, *_LAYOUT))
    element = attributes.get("dtype", ref.element if isinstance(ref, MemRefType) else None)
    if not isinstance(element, TypeAttribute):
        raise WrongOperand(f"the element type is not known: give the attribute 'dtype', found {element!r}")
    return MemRefType(element, REGISTER, views.fragment_layout(payload_of(ref)))


def _decomposition(types: Types, attributes: Attributes) -> Attribute:
    (tensor,) = _take(types, _TENSOR)
    offset, layout, swizzle = views.decomposed(tensor.layout, tensor)
    whole = moved(tensor, offset, layout)
    if swizzle is None or not isinstance(whole, MemRefType):
        return whole
    return MemRefType(whole.element, whole.space, layout, whole.align, swizzle)


def _add_offset(types: Types, attributes: Attributes) -> Attribute:
    iterator, offset = _take(types, _ITERATOR, IntTupleType)
    return _offset(iterator, offset.value)


def _apply_swizzle(types: Types, attributes: Attributes) -> Attribute:
    pointer, swizzle = _take(types, PointerType, SwizzleType)
    if pointer.swizzle is not None:
        raise WrongOperand(f"the pointer has a swizzle already: {pointer}")
    return PointerType(pointer.element, pointer.space, pointer.align, swizzle.value)


def _to_llvm_ptr(types: Types, attributes: Attributes) -> Attribute:
    _take(types, PointerType)
    space = attributes.get("llvm_address_space", 0)
    return LLVMPointerType(IntAttr(space) if space else NoneAttr())


def _memref_load(types: Types, attributes: Attributes) -> Attribute:
    tensor, coord = _take(types, _TENSOR, IntTupleType)
    index = fl.crd2idx(coord.value, tensor.layout)
    return tensor.element if isinstance(tensor, MemRefType) else IntTupleType(fl.int_tuple_add(tensor.base, index))


def _memref_load_vec(types: Types, attributes: Attributes) -> Attribute:
    (tensor,) = _take(types, _TENSOR)
    size = fl.size(tensor.layout)
    if not isinstance(size, int):
        raise WrongOperand(f"a vector needs a static shape, found {tensor}")
    return VectorType(tensor.element if isinstance(tensor, MemRefType) else _coordinate_type(tensor), [size])


def _coordinate_type(tensor: CoordTensorType) -> IntegerType:
    """The element of a vector of coordinates, which are single integers: 64 bits wide when one of its parts is."""
    layout = tensor.layout
    is_plain = isinstance(layout, fl.Layout) and not any(isinstance(part, fl.Basis) for part in flat(layout.stride))
    if not is_plain or not isinstance(tensor.base, int | fl.Dyn):
        raise WrongOperand(f"a vector of coordinates needs a plain layout of single integers, found {tensor}")
    widths = [leaf.width for leaf in (*fl.leaves(tensor.base), *fl.leaves(layout.stride))]
    return IntegerType(max(widths, default=32))


def _atom_set_value(types: Types, attributes: Attributes) -> Attribute:
    atom = types[0] if len(types) == 2 else None
    if not isinstance(atom, CopyAtomType | MmaAtomType | TiledCopyType | TiledMmaType):
        raise WrongOperand("takes an atom and a value")
    op = atom.atom.op if isinstance(atom, TiledCopyType | TiledMmaType) else atom.op
    if attributes.get("field") not in op.fields:
        known = ", ".join(op.fields) or "none"
        raise WrongOperand(f"{op} has no field {attributes.get('field')!r}: it has {known}")
    return atom


def _make_tiled_copy(types: Types, attributes: Attributes) -> Attribute:
    return TiledCopyType(*_take(types, CopyAtomType, LayoutType, TileType))


def _make_tiled_mma(types: Types, attributes: Attributes) -> Attribute:
    return TiledMmaType(*_take(types, MmaAtomType, LayoutType, TileType, None))


def _get_copy_atom(types: Types, attributes: Attributes) -> Attribute:
    tiled: TiledCopyType = _take(types, TiledCopyType)[0]
    return tiled.atom


def _get_mma_atom(types: Types, attributes: Attributes) -> Attribute:
    tiled: TiledMmaType = _take(types, TiledMmaType)[0]
    return tiled.atom


def _partition_src(types: Types, attributes: Attributes) -> Attribute:
    tiled, tensor, thread = _take(types, TiledCopyType, _TENSOR, IntTupleType)
    return moved(tensor, *views.copy_partitioned(tiled, tensor.layout, thread.value, "src"))


def _partition_dst(types: Types, attributes: Attributes) -> Attribute:
    tiled, tensor, thread = _take(types, TiledCopyType, _TENSOR, IntTupleType)
    return moved(tensor, *views.copy_partitioned(tiled, tensor.layout, thread.value, "dst"))


def _retile(types: Types, attributes: Attributes) -> Attribute:
    tiled, tensor = _take(types, TiledCopyType, _TENSOR)
    return moved(tensor, 0, views.copy_retiled(tiled, tensor.layout))


def _operand_id(attributes: Attributes) -> MmaOperand:
    operand = attributes.get("operand_id")
    if not isinstance(operand, MmaOperand):
        raise WrongOperand(f"the attribute 'operand_id' names the operand a, b, c or d, found {operand!r}")
    return operand


def _mma_partition(types: Types, attributes: Attributes) -> Attribute:
    tiled, tensor, thread = _take(types, TiledMmaType, _TENSOR, IntTupleType)
    return moved(tensor, *views.mma_partitioned(_operand_id(attributes), tiled, tensor.layout, thread.value))


def _mma_partition_shape(types: Types, attributes: Attributes) -> Attribute:
    tiled, shape = _take(types, TiledMmaType, IntTupleType)
    return IntTupleType(views.mma_partition_shape(_operand_id(attributes), tiled, shape.value))


def _mma_make_fragment(types: Types, attributes: Attributes) -> Attribute:
    tiled, tensor = _take(types, TiledMmaType, (*_TENSOR, *_LAYOUT))
    operand = _operand_id(attributes)
    element = tiled.atom.op.value_types["abcd".index(operand.value)]
    return MemRefType(
        element, REGISTER, views.mma_fragment(operand, tiled, payload_of(tensor), attributes.get("stages"))
    )


def _get_dyn_shared(types: Types, attributes: Attributes) -> Attribute:
    return PointerType(i8, SHARED, _DYN_SHARED_ALIGN)


RULES: Mapping[str, Callable[[Types, Attributes], Attribute | Types]] = {
    "fly.get_scalar": _get_scalar,
    "fly.get_leaves": _get_leaves,
    "fly.get_layout": _get_layout,
    "fly.get_iter": _get_iter,
    "fly.make_view": _make_view,
    "fly.make_fragment_like": _make_fragment_like,
    "fly.decomposition": _decomposition,
    "fly.get_dyn_shared": _get_dyn_shared,
    "fly.add_offset": _add_offset,
    "fly.apply_swizzle": _apply_swizzle,
    "fly.to_llvm_ptr": _to_llvm_ptr,
    "fly.memref.load": _memref_load,
    "fly.memref.load_vec": _memref_load_vec,
    "fly.atom.set_value": _atom_set_value,
    "fly.make_tiled_copy": _make_tiled_copy,
    "fly.make_tiled_mma": _make_tiled_mma,
    "fly.get_copy_atom": _get_copy_atom,
    "fly.get_mma_atom": _get_mma_atom,
    "fly.tiled_copy.partition_src": _partition_src,
    "fly.tiled_copy.partition_dst": _partition_dst,
    "fly.tiled_copy.retile": _retile,
    "fly.tiled_mma.partition": _mma_partition,
    "fly.tiled_mma.partition_shape": _mma_partition_shape,
    "fly.mma.make_fragment": _mma_make_fragment,
}
