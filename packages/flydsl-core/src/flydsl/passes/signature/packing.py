"""Packing of Fly values into pointers, structs and scalars at function boundaries, and unpacking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import Attribute, Operation, SSAValue

import flydsl.layout as fl
from flydsl.ir.build import Builder
from flydsl.ir.fly import (
    ComposedGetInnerOp,
    ComposedGetOffsetOp,
    ComposedGetOuterOp,
    GetIterOp,
    GetLayoutOp,
    GetLeavesOp,
    GetShapeOp,
    GetStrideOp,
    MakeComposedLayoutOp,
    MakeIntTupleOp,
    MakeLayoutOp,
    MakeViewOp,
    StaticOp,
)
from flydsl.ir.fly.types import (
    ComposedLayoutType,
    CoordTensorType,
    IntTupleType,
    LayoutType,
    MemRefType,
    is_static,
    payload_type,
)
from flydsl.passes.cached_attributes import position
from flydsl.passes.signature.slots import Slot, slots_of


class Packer:
    """Takes Fly values apart and puts them together within one function."""

    def __init__(self) -> None:
        self._sources: dict[tuple[SSAValue, bool], list[SSAValue]] = {}

    @staticmethod
    def types(type_: Attribute, scalars: bool) -> list[Attribute]:
        """What a value of `type_` is passed as; with `scalars`, leaves are passed one by one instead of in a struct."""
        slots = slots_of(type_)
        if slots is None:
            return [type_]
        found: list[Attribute] = []
        for slot in slots:
            found += [leaf for _, leaf in slot.leaves] if scalars and slot.leaves else [slot.type]
        return found

    def passed(self, value: SSAValue, at: Operation, scalars: bool) -> list[SSAValue]:
        """The values to pass in place of `value`."""
        slots = slots_of(value.type)
        if slots is None:
            return [value]
        known = self._sources.get((value, scalars))
        if known is not None:
            return known
        builder = _builder(at)
        leaves = iter(_leaves(builder, value))
        found: list[SSAValue] = []
        for slot in slots:
            if not slot.leaves:
                found.append(builder.infer(GetIterOp, [value]).results[0])
            elif scalars:
                found += [next(leaves) for _ in slot.leaves]
            else:
                found.append(_struct(builder, slot, leaves))
        return found

    def rebuilt(self, type_: Attribute, values: Sequence[SSAValue], at: Operation, scalars: bool) -> SSAValue:
        """The Fly value that `values` stand for."""
        builder = _builder(at)
        pointers: list[SSAValue] = []
        leaves: list[SSAValue] = []
        rest = list(values)
        for slot in slots_of(type_) or ():
            if not slot.leaves:
                pointers.append(rest.pop(0))
            elif scalars:
                leaves += [rest.pop(0) for _ in slot.leaves]
            else:
                struct = rest.pop(0)
                leaves += [_extracted(builder, struct, path, leaf) for path, leaf in slot.leaves]
        value = _value(builder, type_, pointers, iter(leaves))
        self._sources[(value, scalars)] = list(values)
        return value


def _builder(at: Operation) -> Builder:
    assert at.parent is not None
    builder = Builder(at.parent, at)
    builder._location = at.location
    return builder


def _leaves(builder: Builder, value: SSAValue) -> list[SSAValue]:
    """The dynamic leaves of a value, in the order of its slots."""
    type_ = value.type
    if is_static(type_):
        return []
    if isinstance(type_, IntTupleType):
        only = {"dynamicOnly": IntegerAttr(1, i1)}
        return list(builder.infer(GetLeavesOp, [value], only).results)
    parts: tuple[type[Operation], ...]
    if isinstance(type_, MemRefType):
        parts = (GetLayoutOp,)
    elif isinstance(type_, CoordTensorType):
        parts = (GetIterOp, GetLayoutOp)
    elif isinstance(type_, ComposedLayoutType):
        inner = (ComposedGetInnerOp,) if isinstance(type_.value.inner, fl.Layout | fl.ComposedLayout) else ()
        parts = (ComposedGetOuterOp, ComposedGetOffsetOp, *inner)
    else:
        parts = (GetShapeOp, GetStrideOp)
    return [leaf for part in parts for leaf in _leaves(builder, builder.infer(part, [value]).results[0])]


def _struct(builder: Builder, slot: Slot, leaves: Any) -> SSAValue:
    struct = builder.create(llvm.UndefOp, [], [slot.type]).results[0]
    for path, _ in slot.leaves:
        place = {"position": position(*path)}
        operands = [struct, next(leaves)]
        struct = builder.create(llvm.InsertValueOp, operands, [slot.type], properties=place).results[0]
    return struct


def _extracted(builder: Builder, struct: SSAValue, path: tuple[int, ...], leaf: Attribute) -> SSAValue:
    place = {"position": position(*path)}
    return builder.create(llvm.ExtractValueOp, [struct], [leaf], properties=place).results[0]


def _value(builder: Builder, type_: Attribute, pointers: list[SSAValue], leaves: Any) -> SSAValue:
    """A value of `type_` in normal form, from its pointer and dynamic leaves."""
    if isinstance(type_, MemRefType):
        return _make(builder, MakeViewOp, [pointers[0], _payload(builder, type_.layout, leaves)], type_)
    if is_static(type_):
        return _make(builder, StaticOp, [], type_)
    if isinstance(type_, CoordTensorType):
        base = _payload(builder, type_.base, leaves)
        return _make(builder, MakeViewOp, [base, _payload(builder, type_.layout, leaves)], type_)
    assert isinstance(type_, IntTupleType | LayoutType | ComposedLayoutType)
    return _payload(builder, type_.value, leaves)


def _payload(builder: Builder, value: Any, leaves: Any) -> SSAValue:
    type_ = payload_type(value)
    if is_static(type_) and not isinstance(type_, IntTupleType):
        return _make(builder, StaticOp, [], type_)
    if isinstance(value, fl.Layout):
        shape = _payload(builder, value.shape, leaves)
        return _make(builder, MakeLayoutOp, [shape, _payload(builder, value.stride, leaves)], type_)
    if isinstance(value, fl.ComposedLayout):
        outer = _payload(builder, value.outer, leaves)
        offset = _payload(builder, value.offset, leaves)
        inner = _payload(builder, value.inner, leaves)
        return _make(builder, MakeComposedLayoutOp, [inner, offset, outer], type_)
    return _make(builder, MakeIntTupleOp, [next(leaves) for _ in fl.leaves(value)], type_)


def _make(builder: Builder, op_class: type[Operation], operands: list[SSAValue], type_: Attribute) -> SSAValue:
    return builder.create(op_class, operands, [type_]).results[0]
