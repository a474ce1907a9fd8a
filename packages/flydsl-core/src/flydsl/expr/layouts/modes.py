"""Modes and properties of int tuples, layouts and tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from flydsl import layout as algebra
from flydsl.expr.layouts.evaluate import apply, layout_of, payload_of, structured
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.layout import LayoutValue, as_layout, box_static, layout_part
from flydsl.expr.numeric import Boolean
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flydsl.expr.layouts.layout import Layout
    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.memory.tensor import Tensor
    from flydsl.expr.values.operand_types import (
        CoordLike,
        IntLike,
        IntTupleLike,
        LayoutLike,
        LayoutSource,
        Structured,
        StructuredLike,
    )
    from flydsl.expr.values.traced_types import Structure

__all__ = [
    "append",
    "coprofile",
    "coshape",
    "cosize",
    "crd2idx",
    "depth",
    "dice",
    "elem_less",
    "equal",
    "get",
    "get_",
    "get_1d_coord",
    "get_flat_coord",
    "get_layout",
    "get_shape",
    "get_stride",
    "group",
    "has_none",
    "idx2crd",
    "prepend",
    "rank",
    "select",
    "size",
    "slice",
    "take",
]


def rank(int_or_tuple: StructuredLike) -> int:
    """Number of modes; a leaf has one."""
    return algebra.rank(payload_of(int_or_tuple))


def depth(int_or_tuple: StructuredLike) -> int:
    """Nesting depth; a leaf has depth 0."""
    return algebra.depth(payload_of(int_or_tuple))


def size(int_tuple: StructuredLike) -> IntTuple:
    """Number of elements, as a leaf."""
    return apply("size", structured(int_tuple))


def cosize(layout: LayoutSource) -> IntTuple:
    """Size of the codomain in elements: the largest offset plus one."""
    return apply("cosize", layout_of(layout))


def coshape(layout: LayoutSource) -> IntTuple:
    """Shape of the codomain."""
    return apply("coshape", layout_of(layout))


def coprofile(layout: LayoutSource) -> IntTuple:
    """Profile of the codomain."""
    return apply("coprofile", layout_of(layout))


def get_shape(layout: StructuredLike) -> IntTuple:
    """The shape of a layout or tensor, in elements."""
    return layout_part(structured(layout), "shape")


def get_stride(layout: StructuredLike) -> IntTuple:
    """The strides of a layout or tensor, in elements, congruent with its shape."""
    return layout_part(structured(layout), "stride")


def get_layout(memref: Tensor) -> Layout:
    """The layout of a tensor."""
    layout = memref.payload.layout
    return box_static(layout) if algebra.is_static(layout) else current().fly_call("get_layout", [memref], {})


@overload
def get_(int_tuple: Structured, mode: IntLike | Sequence[IntLike]) -> Structured: ...
@overload
def get_(int_tuple: IntTupleLike, mode: IntLike | Sequence[IntLike]) -> IntTuple: ...
def get_(int_tuple: StructuredLike, mode: IntLike | Sequence[IntLike]) -> StructuredValue:
    """The mode at the index, or path of indices, `mode`."""
    return structured(int_tuple)._get(mode)


get = get_


def has_none(int_tuple: CoordLike) -> bool:
    """Whether a leaf of a coordinate is None, which keeps the mode."""
    return _has_star(payload_of(int_tuple))


@overload
def take(int_tuple: Structured, begin: int, end: int) -> Structured: ...
@overload
def take(int_tuple: IntTupleLike, begin: int, end: int) -> IntTuple: ...
def take(int_tuple: StructuredLike, begin: int, end: int) -> StructuredValue:
    """The modes from `begin` up to, but not including, `end`."""
    return apply("take", structured(int_tuple), begin=begin, end=end)


@overload
def select(int_tuple: Structured, indices: Iterable[IntLike]) -> Structured: ...
@overload
def select(int_tuple: IntTupleLike, indices: Iterable[IntLike]) -> IntTuple: ...
def select(int_tuple: StructuredLike, indices: Iterable[IntLike]) -> StructuredValue:
    """The modes listed in `indices`, in that order."""
    return apply("select", structured(int_tuple), indices=tuple(index.__index__() for index in indices))


@overload
def group(int_tuple: Structured, begin: int, end: int) -> Structured: ...
@overload
def group(int_tuple: IntTupleLike, begin: int, end: int) -> IntTuple: ...
def group(int_tuple: StructuredLike, begin: int, end: int) -> StructuredValue:
    """The modes from `begin` up to, but not including, `end` grouped into one mode."""
    return apply("group", structured(int_tuple), begin=begin, end=end)


@overload
def append(base: Structured, elem: LayoutLike, *, n: int | None = None) -> Structured: ...
@overload
def append(base: IntTupleLike, elem: LayoutLike, *, n: int | None = None) -> IntTuple: ...
def append(base: StructuredLike, elem: LayoutLike, *, n: int | None = None) -> StructuredValue:
    """`base` with the mode `elem` added at the end; with `n`, repeatedly up to rank `n`."""
    return _extend("append", base, elem, n)


@overload
def prepend(base: Structured, elem: LayoutLike, *, n: int | None = None) -> Structured: ...
@overload
def prepend(base: IntTupleLike, elem: LayoutLike, *, n: int | None = None) -> IntTuple: ...
def prepend(base: StructuredLike, elem: LayoutLike, *, n: int | None = None) -> StructuredValue:
    """`base` with the mode `elem` added in front; with `n`, repeatedly up to rank `n`."""
    return _extend("prepend", base, elem, n)


@overload
def slice(src: Structured, coord: CoordLike) -> Structured: ...
@overload
def slice(src: IntTupleLike, coord: CoordLike) -> IntTuple: ...
def slice(src: StructuredLike, coord: CoordLike) -> StructuredValue:
    """The modes where `coord` is None; the pointer of a tensor advances by the others. See `dice`."""
    value, kept = structured(src), as_int_tuple(coord)
    value._check_coord(kept)
    return apply("slice", value, kept)


@overload
def dice(src: Structured, coord: CoordLike) -> Structured: ...
@overload
def dice(src: IntTupleLike, coord: CoordLike) -> IntTuple: ...
def dice(src: StructuredLike, coord: CoordLike) -> StructuredValue:
    """The modes where `coord` is not None, the complement of `slice`."""
    return apply("dice", structured(src), as_int_tuple(coord))


def crd2idx(crd: CoordLike, layout: LayoutSource) -> IntTuple:
    """The offset of a coordinate, in elements."""
    return apply("crd2idx", as_int_tuple(crd), layout_of(layout))


def idx2crd(index: IntTupleLike, layout: LayoutSource) -> IntTuple:
    """The hierarchical coordinate of a linear index."""
    return apply("idx2crd", as_int_tuple(index), layout_of(layout))


def get_flat_coord(index: IntTupleLike, layout: LayoutSource) -> IntTuple:
    """The flat coordinate of a linear index."""
    return apply("get_flat_coord", as_int_tuple(index), layout_of(layout))


def get_1d_coord(index: IntTupleLike, layout: LayoutSource) -> IntTuple:
    """The column-major linear index of a coordinate."""
    return apply("get_1d_coord", as_int_tuple(index), layout_of(layout))


def elem_less(lhs: StructuredLike, rhs: StructuredLike) -> Boolean:
    """Whether every leaf of `lhs` is less than its counterpart in `rhs`, as for bounds checks."""
    return _predicate("elem_less", lhs, rhs)


def equal(lhs: StructuredLike, rhs: StructuredLike) -> Boolean:
    """Whether two int tuples or layouts are equal leaf by leaf."""
    return _predicate("equal", lhs, rhs)


def _has_star(payload: object) -> bool:
    return any(map(_has_star, payload)) if isinstance(payload, tuple) else payload is algebra.STAR


def _predicate(name: str, lhs: StructuredLike, rhs: StructuredLike) -> Boolean:
    a, b = structured(lhs), structured(rhs)
    if a.is_static and b.is_static:
        return Boolean.wrap(bool(getattr(algebra, name)(a.payload, b.payload)))
    return Boolean.wrap(current().fly(name, [a.ir_value(), b.ir_value()]))


def _extend(name: str, base: StructuredLike, elem: LayoutLike, n: int | None) -> Structure:
    value = structured(base)
    extra = as_layout(elem) if isinstance(value, LayoutValue) else as_int_tuple(elem)  # type: ignore[arg-type]
    return apply(name, value, extra, **({} if n is None else {"n": n}))
