"""Slots: the types that cross a function boundary for a Fly type; static parts vanish, dynamic leaves are packed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.types import (
    ComposedLayoutType,
    CoordTensorType,
    IntTupleType,
    LayoutType,
    MemRefType,
    TileType,
    is_static,
)
from flydsl.ir.upstream import StructType

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One value that stands for a part of a Fly value: a pointer, or a packed struct with the places of its leaves."""

    type: Attribute
    leaves: tuple[tuple[Path, Attribute], ...] = ()


@lru_cache(maxsize=4096)
def slots_of(type_: Attribute) -> tuple[Slot, ...] | None:
    """What a value of `type_` is passed as; None when it is passed as it is.

    Static values need no slot. Layouts, int tuples and coordinate tensors are one packed struct of their dynamic leaves
    (shape then stride; of a composed layout: outer, offset, inner), tensors a pointer and, when dynamic, the struct of
    the layout.
    """
    if isinstance(type_, MemRefType):
        return (Slot(type_.pointer), *_packed(type_.layout))
    if isinstance(type_, CoordTensorType):
        return _packed((type_.base, type_.layout))
    if isinstance(type_, IntTupleType | LayoutType | ComposedLayoutType):
        return _packed(type_.value)
    if is_static(type_):
        return ()
    if isinstance(type_, TileType):
        raise IRError(f"{type_} cannot be passed to a function: a tile must be static there")
    return None  # also for an atom with state: the backend knows its form


def _packed(value: Any) -> tuple[Slot, ...]:
    tree = _tree(value)
    if not tree:
        return ()
    leaves: list[tuple[Path, Attribute]] = []
    type_ = _struct(tree, (), leaves)
    return (Slot(type_, tuple(leaves)),)


def _tree(value: Any) -> list[Any]:
    """The dynamic leaves as nested lists of integer types, parts without any left out."""
    if isinstance(value, fl.Layout):
        parts: list[Any] = [value.shape, value.stride]
    elif isinstance(value, fl.ComposedLayout):
        parts = [value.outer, value.offset, value.inner]
    elif isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], fl.Layout | fl.ComposedLayout):
        parts = list(value)  # base and layout of a coordinate tensor
    elif isinstance(value, fl.Swizzle | fl.CoordSwizzle):
        return []
    else:
        return [IntegerType(leaf.width) for leaf in fl.leaves(value)]
    return [tree for part in parts if (tree := _tree(part))]


def _struct(tree: list[Any], path: Path, leaves: list[tuple[Path, Attribute]]) -> StructType:
    elements: list[Attribute] = []
    for index, part in enumerate(tree):
        if isinstance(part, list):
            elements.append(_struct(part, (*path, index), leaves))
        else:
            leaves.append(((*path, index), part))
            elements.append(part)
    return StructType(tuple(elements), packed=True)
