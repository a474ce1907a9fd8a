"""Wrapping of SSA values of fly types as values of the language."""

from __future__ import annotations

from typing import Any

from xdsl.ir import Attribute, SSAValue

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.int_tuple import IntTuple
from flydsl.expr.layouts.layout import ComposedLayout, Layout, Swizzle, Tile
from flydsl.expr.memory.memory_format import memory_dtype
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.registry import numeric_by_type
from flydsl.expr.numbers.vector import Vector, vector_class
from flydsl.expr.numeric import Numeric
from flydsl.expr.tiles.atoms import CopyAtom, MmaAtom
from flydsl.expr.tiles.tiled_copy import TiledCopy
from flydsl.expr.tiles.tiled_mma import TiledMma
from flydsl.ir.fly import types as fly

_PAYLOADS: dict[type[Attribute], type[Any]] = {
    fly.IntTupleType: IntTuple,
    fly.LayoutType: Layout,
    fly.ComposedLayoutType: ComposedLayout,
    fly.SwizzleType: Swizzle,
    fly.TileType: Tile,
}
_TYPED: dict[type[Attribute], type[Any]] = {
    fly.CopyAtomType: CopyAtom,
    fly.MmaAtomType: MmaAtom,
    fly.TiledCopyType: TiledCopy,
    fly.TiledMmaType: TiledMma,
}

payload_type = fly.payload_type


def box(value: SSAValue, dtype: type[Numeric] | None = None) -> Any:
    """The value of the language that stands for `value`; `dtype` keeps the signedness of its elements.

    A value whose type is fully static needs no SSA value any more.
    """
    kind = value.type
    if type(kind) in _PAYLOADS:
        payload = kind.value  # type: ignore[attr-defined]
        return _PAYLOADS[type(kind)](payload, None if algebra.is_static(payload) else value)
    if isinstance(kind, fly.MemRefType):
        return Tensor(kind, value, _element(kind.element, dtype))
    if isinstance(kind, fly.CoordTensorType):
        return Tensor(kind, value)
    if isinstance(kind, fly.PointerType):
        return Pointer(kind, value, _element(kind.element, dtype))
    if type(kind) in _TYPED:
        return _TYPED[type(kind)](kind, value)
    vector = vector_class(kind)
    if vector is not None:
        return Vector(value, vector.shape, vector.dtype)
    scalar = numeric_by_type().get(kind)
    if scalar is None:
        raise FrontendError(f"a value of type {kind} has no counterpart in the language")
    return scalar.wrap(value)


def _element(element: Attribute, dtype: type[Numeric] | None) -> type[Numeric] | None:
    if dtype is not None and element in (dtype.ir_type_of(), memory_dtype(dtype).ir_type_of()):
        return dtype
    return numeric_by_type().get(element)
