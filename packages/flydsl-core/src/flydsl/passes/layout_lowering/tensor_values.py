"""Pointers and tensors as values of the lowering: where they point, before any operation says so."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.ir import Attribute, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly.types import MemRefType, PointerType
from flydsl.layout import leaf
from flydsl.passes.layout_lowering.values import Node, plain

MAX_UNROLLED = 1 << 16
"""A tile of 256 x 256 elements; more would take minutes to compile."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """`base` moved by `dynamic` and then by `static` elements: the constant is outermost and becomes an immediate."""

    base: SSAValue
    dynamic: Any = 0
    static: int = 0
    swizzle: fl.Swizzle | None = None  # put onto the pointer by a decomposition; None: what the base has

    def moved(self, offset: Any) -> Pointer:
        """The pointer `offset` elements further."""
        offset = single(offset)
        if type(offset) is int:
            return Pointer(self.base, self.dynamic, self.static + offset, self.swizzle) if offset else self
        return Pointer(self.base, leaf.add(self.dynamic, offset), self.static, self.swizzle)

    def swizzled(self, swizzle: fl.Swizzle | None) -> Pointer:
        """The pointer with a swizzle of byte addresses."""
        return self if swizzle is None else Pointer(self.base, self.dynamic, self.static, swizzle)

    @property
    def element(self) -> Attribute:
        """The type of what is pointed to."""
        return self.base.type.element  # type: ignore[attr-defined, no-any-return]

    @property
    def space(self) -> Attribute:
        """The address space."""
        return self.base.type.space  # type: ignore[attr-defined, no-any-return]

    @property
    def type(self) -> PointerType:
        """The pointer's type, with the alignment that follows from the offsets."""
        base = self.base.type
        assert isinstance(base, PointerType)
        if self.swizzle is not None:
            base = _swizzled_type(base, self.swizzle)
        return offset_type(offset_type(base, self.dynamic), self.static)


@dataclass(frozen=True, slots=True)
class View:
    """A tensor: a pointer, or the coordinate where a tensor of coordinates begins, and a layout."""

    iter: Any
    layout: Any

    def moved(self, offset: Any, layout: Any) -> View:
        """The tensor at an offset from the iterator, with another layout."""
        if isinstance(self.iter, Pointer):
            return View(self.iter.moved(offset), layout)
        return View(fl.int_tuple_add(self.iter, offset), layout)

    @property
    def pointer(self) -> Pointer:
        """The iterator of a tensor that has storage."""
        if not isinstance(self.iter, Pointer):
            raise IRError("a tensor of coordinates has no storage to read or write")
        return self.iter

    @property
    def type(self) -> MemRefType:
        """The type of a tensor that has storage."""
        return view_type(self.pointer.type, self.layout)


@dataclass(frozen=True, slots=True)
class Tiled:
    """A tiled copy or MMA: what matters at run time is its atom."""

    atom: SSAValue
    type: Attribute


def view_type(pointer: PointerType, layout: Any) -> MemRefType:
    """The type of a view of a pointer."""
    return _view_type(pointer, plain_layout(layout))


def single(offset: Any) -> Any:
    """An offset as one leaf: tuples of one are unwrapped."""
    while isinstance(offset, tuple) and len(offset) == 1:
        offset = offset[0]
    if type(offset) is not int and not isinstance(offset, fl.Dyn):
        raise IRError(f"a pointer moves by one number of elements, found {offset}")
    return offset


def static_size(layout: Any) -> int:
    """The number of elements of a layout, which must be static."""
    count = fl.size(layout)
    if not isinstance(count, int):
        raise IRError(f"a static shape is needed, found {layout}")
    return count


def unrolled(what: object, count: int) -> range:
    """The steps of an unrolled operation, of which there are not more than anybody would want."""
    if count > MAX_UNROLLED:
        raise IRError(f"{what} would be unrolled {count} times, {MAX_UNROLLED} at most are")
    return range(count)


def offset_type(type_: PointerType, offset: Any) -> PointerType:
    """The type of a pointer moved by an offset."""
    if type(offset) is int:
        return _offset_type(type_, abs(offset)) if offset else type_
    return _offset_type(type_, offset.div)


def plain_layout(layout: Any) -> Any:
    """The layout as it stands in a type: without emitted values."""
    if layout.is_plain:
        return layout
    if isinstance(layout, fl.ComposedLayout):
        inner = plain_layout(layout.inner) if hasattr(layout.inner, "is_plain") else layout.inner
        return fl.ComposedLayout(inner, plain_tuple(layout.offset), plain_layout(layout.outer))
    return fl.Layout(plain_tuple(layout.shape), plain_tuple(layout.stride))


def plain_tuple(value: Any) -> Any:
    """The int tuple as it stands in a type."""
    if isinstance(value, tuple):
        return tuple([plain_tuple(part) for part in value])
    return plain(value) if isinstance(value, Node | fl.Basis) else value


@lru_cache(maxsize=4096)
def _offset_type(type_: PointerType, divisibility: int) -> PointerType:
    return type_.with_offset(divisibility)


@lru_cache(maxsize=4096)
def _view_type(pointer: PointerType, layout: Any) -> MemRefType:
    return MemRefType(pointer.element, pointer.space, layout, pointer.align, pointer.swizzle)


@lru_cache(maxsize=256)
def _swizzled_type(type_: PointerType, swizzle: fl.Swizzle) -> PointerType:
    return PointerType(type_.element, type_.space, type_.align, swizzle)
