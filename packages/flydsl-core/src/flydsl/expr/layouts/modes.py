"""Int tuples, layouts and tensors in, their parts and properties out."""

from __future__ import annotations

from typing import Any

from flydsl import layout as algebra
from flydsl.expr.layouts.evaluate import apply, box_static, layout_of, payload_of, structured
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layouts.layout import LayoutValue, as_layout
from flydsl.expr.memory.bounds import check_coord
from flydsl.expr.numeric import Boolean
from flydsl.expr.tracing.context import current

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


def rank(int_or_tuple: Any) -> int:
    """Number of modes."""
    return algebra.rank(payload_of(int_or_tuple))


def depth(int_or_tuple: Any) -> int:
    """Nesting depth."""
    return algebra.depth(payload_of(int_or_tuple))


def size(int_tuple: Any) -> IntTuple:
    """Number of elements, a leaf."""
    return apply("size", structured(int_tuple))  # type: ignore[no-any-return]


def cosize(layout: Any) -> IntTuple:
    """Size of the codomain."""
    return apply("cosize", layout_of(layout))  # type: ignore[no-any-return]


def coshape(layout: Any) -> IntTuple:
    """Shape of the codomain."""
    return apply("coshape", layout_of(layout))  # type: ignore[no-any-return]


def coprofile(layout: Any) -> IntTuple:
    """Profile of the codomain."""
    return apply("coprofile", layout_of(layout))  # type: ignore[no-any-return]


def get_shape(layout: Any) -> IntTuple:
    """The shape of a layout or tensor."""
    return _layout_part("get_shape", "shape", layout)


def get_stride(layout: Any) -> IntTuple:
    """The strides of a layout or tensor."""
    return _layout_part("get_stride", "stride", layout)


def get_layout(memref: Any) -> Any:
    """The layout of a tensor."""
    layout = memref.payload.layout
    return box_static(layout) if algebra.is_static(layout) else current().fly_call("get_layout", [memref], {})


def get_(int_tuple: Any, mode: Any) -> Any:
    """The sub-tree at `mode`, an index or a path of indices."""
    path = mode if isinstance(mode, tuple | list) else (mode,)
    return apply("get", structured(int_tuple), mode=tuple(index.__index__() for index in path))


get = get_


def has_none(int_tuple: Any) -> bool:
    """Whether a coordinate keeps a mode: a leaf is None."""
    return _has_star(payload_of(int_tuple))


def take(int_tuple: Any, begin: int, end: int) -> Any:
    """The modes [begin, end)."""
    return apply("take", structured(int_tuple), begin=begin, end=end)


def select(int_tuple: Any, indices: Any) -> Any:
    """The modes listed in `indices`, in that order."""
    return apply("select", structured(int_tuple), indices=tuple(index.__index__() for index in indices))


def group(int_tuple: Any, begin: int, end: int) -> Any:
    """The modes [begin, end) as one."""
    return apply("group", structured(int_tuple), begin=begin, end=end)


def append(base: Any, elem: Any, *, n: int | None = None) -> Any:
    """`base` with a mode added at the end, up to rank `n`."""
    return _extend("append", base, elem, n)


def prepend(base: Any, elem: Any, *, n: int | None = None) -> Any:
    """`base` with a mode added in front, up to rank `n`."""
    return _extend("prepend", base, elem, n)


def slice(src: Any, coord: Any) -> Any:
    """Keep the modes where `coord` is None; a tensor advances by the others."""
    value, kept = structured(src), as_int_tuple(coord)
    check_coord(value, kept)
    return apply("slice", value, kept)


def dice(src: Any, coord: Any) -> Any:
    """Keep the modes where `coord` is not None."""
    return apply("dice", structured(src), as_int_tuple(coord))


def crd2idx(crd: Any, layout: Any) -> Any:
    """The offset of a coordinate."""
    return apply("crd2idx", as_int_tuple(crd), layout_of(layout))


def idx2crd(index: Any, layout: Any) -> Any:
    """The coordinate of a linear index."""
    return apply("idx2crd", as_int_tuple(index), layout_of(layout))


def get_flat_coord(index: Any, layout: Any) -> Any:
    """The flat coordinate of a linear index."""
    return apply("get_flat_coord", as_int_tuple(index), layout_of(layout))


def get_1d_coord(index: Any, layout: Any) -> Any:
    """The column-major linear coordinate of a coordinate."""
    return apply("get_1d_coord", as_int_tuple(index), layout_of(layout))


def elem_less(lhs: Any, rhs: Any) -> Boolean:
    """Whether every leaf of `lhs` is less than its counterpart: the usual bounds predicate."""
    return _predicate("elem_less", lhs, rhs)


def equal(lhs: Any, rhs: Any) -> Boolean:
    """Whether two int tuples or layouts are equal leaf by leaf."""
    return _predicate("equal", lhs, rhs)


def _has_star(payload: Any) -> bool:
    return any(map(_has_star, payload)) if isinstance(payload, tuple) else payload is algebra.STAR


def _predicate(name: str, lhs: Any, rhs: Any) -> Boolean:
    a, b = structured(lhs), structured(rhs)
    if a.is_static and b.is_static:
        return Boolean.wrap(bool(getattr(algebra, name)(a.payload, b.payload)))
    return Boolean.wrap(current().fly(name, [a.ir_value(), b.ir_value()]))


def _layout_part(op: str, part: str, source: Any) -> IntTuple:
    value = structured(source)
    layout = getattr(value.payload, "layout", value.payload)
    known = getattr(layout, part, None)
    if known is not None and algebra.is_static(known):
        return IntTuple(known)
    return apply(op, value)  # type: ignore[no-any-return]


def _extend(name: str, base: Any, elem: Any, n: int | None) -> Any:
    value = structured(base)
    extra = as_layout(elem) if isinstance(value, LayoutValue) else as_int_tuple(elem)
    return apply(name, value, extra, **({} if n is None else {"n": n}))
