"""Packing of Fly values into pointers, structs and scalars at function boundaries, and unpacking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

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
        pointers = [] if not isinstance(type_, MemRefType) else list(values[:1])
        rest = values[len(pointers) :]
        parts = _Scalars(iter(rest)) if scalars or not rest else _Struct(builder, rest[0])
        value = _value(builder, type_, pointers, parts)
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


class _Scalars:
    """Dynamic leaves that were passed one by one."""

    def __init__(self, values: Iterator[SSAValue]) -> None:
        self._values = values

    def enter(self) -> _Parts:
        """The leaves of the next part."""
        return self

    def leaf(self) -> SSAValue:
        """The next leaf."""
        return next(self._values)


class _Struct:
    """Dynamic leaves in a packed struct, which is taken apart level by level, in order."""

    def __init__(self, builder: Builder, struct: SSAValue) -> None:
        self._builder, self._struct = builder, struct
        self._fields = enumerate(struct.type.elements)  # type: ignore[attr-defined]

    def enter(self) -> _Parts:
        """The leaves of the next part, a struct of its own."""
        return _Struct(self._builder, self.leaf())

    def leaf(self) -> SSAValue:
        """The next leaf."""
        index, type_ = next(self._fields)
        place = {"position": position(index)}
        return self._builder.create(llvm.ExtractValueOp, [self._struct], [type_], properties=place).results[0]


_Parts: TypeAlias = _Scalars | _Struct


def _value(builder: Builder, type_: Attribute, pointers: list[SSAValue], parts: _Parts) -> SSAValue:
    """A value of `type_` in normal form, from its pointer and dynamic leaves."""
    if isinstance(type_, MemRefType):
        return _make(builder, MakeViewOp, [pointers[0], _payload(builder, type_.layout, parts)], type_)
    if is_static(type_):
        return _make(builder, StaticOp, [], type_)
    if isinstance(type_, CoordTensorType):
        halves = [_part(builder, half, parts) for half in (type_.base, type_.layout)]
        return _make(builder, MakeViewOp, halves, type_)
    assert isinstance(type_, IntTupleType | LayoutType | ComposedLayoutType)
    return _payload(builder, type_.value, parts)


def _part(builder: Builder, value: Any, parts: _Parts) -> SSAValue:
    """A part of a value; what is static has no place among the leaves."""
    return _payload(builder, value, parts if is_static(payload_type(value)) else parts.enter())


def _payload(builder: Builder, value: Any, parts: _Parts) -> SSAValue:
    type_ = payload_type(value)
    if is_static(type_) and not isinstance(type_, IntTupleType):
        return _make(builder, StaticOp, [], type_)
    if isinstance(value, fl.Layout):
        halves = [_part(builder, half, parts) for half in (value.shape, value.stride)]
        return _make(builder, MakeLayoutOp, halves, type_)
    if isinstance(value, fl.ComposedLayout):
        outer, offset, inner = (_part(builder, part, parts) for part in (value.outer, value.offset, value.inner))
        return _make(builder, MakeComposedLayoutOp, [inner, offset, outer], type_)
    return _make(builder, MakeIntTupleOp, [parts.leaf() for _ in fl.leaves(value)], type_)


def _make(builder: Builder, op_class: type[Operation], operands: list[SSAValue], type_: Attribute) -> SSAValue:
    return builder.create(op_class, operands, [type_]).results[0]
