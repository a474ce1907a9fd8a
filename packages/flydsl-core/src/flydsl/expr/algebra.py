"""Int tuples, layouts and tensors in, int tuples, layouts and tensors out: the algebra's functions on traced values.

Static operands are evaluated at once by `flydsl.layout`; anything dynamic becomes one fly op whose type is inferred.
"""

from __future__ import annotations

from typing import Any

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr.context import current
from flydsl.expr.int_tuple import IntTuple, as_int_tuple
from flydsl.expr.layout import ComposedLayout, Layout, LayoutValue, Swizzle, Tile, as_layout, make_tile
from flydsl.expr.numeric import Boolean
from flydsl.expr.value import StructuredValue

__all__ = [
    "append",
    "apply",
    "blocked_product",
    "box_static",
    "ceil_div",
    "coalesce",
    "complement",
    "composition",
    "coprofile",
    "coshape",
    "cosize",
    "crd2idx",
    "depth",
    "dice",
    "elem_less",
    "equal",
    "flat_divide",
    "flat_product",
    "get",
    "get_",
    "get_1d_coord",
    "get_flat_coord",
    "get_layout",
    "get_shape",
    "get_stride",
    "group",
    "idx2crd",
    "int_tuple_add",
    "int_tuple_div",
    "int_tuple_mod",
    "int_tuple_mul",
    "int_tuple_product",
    "int_tuple_product_each",
    "int_tuple_product_like",
    "int_tuple_sub",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_composed_layout",
    "make_fragment_layout_like",
    "make_identity_layout",
    "make_layout_like",
    "make_layout_tv",
    "make_ordered_layout",
    "prepend",
    "raked_product",
    "rank",
    "recast_layout",
    "right_inverse",
    "select",
    "shape_div",
    "size",
    "slice",
    "static",
    "take",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]


def box_static(payload: Any) -> Any:
    """The traced value of a static algebra object."""
    if isinstance(payload, algebra.Layout):
        return Layout(payload)
    if isinstance(payload, algebra.ComposedLayout):
        return ComposedLayout(payload)
    if isinstance(payload, algebra.Swizzle):
        return Swizzle(payload)
    if isinstance(payload, algebra.Tile):
        return Tile(payload)
    return IntTuple(payload)


def apply(name: str, *operands: Any, **attributes: Any) -> Any:
    """`fly.<name>` on `operands`: evaluated now when all are static, else one op with an inferred type."""
    if all(isinstance(operand, StructuredValue) and operand.is_static for operand in operands):
        function = getattr(algebra, name)
        return box_static(function(*(operand.payload for operand in operands), **attributes))
    return current().fly_call(name, operands, attributes)


def static(result_type: Any) -> Any:
    """The value of a fully static fly type or algebra object (`fx.static(fx.SwizzleType.get(3, 3, 3))`)."""
    payload = getattr(result_type, "value", result_type)
    if not algebra.is_static(payload):
        raise FrontendError(f"static needs a fully static type, found {payload}")
    return box_static(payload)


def make_ordered_layout(shape: Any, order: Any) -> Layout:
    """Compact strides, the mode of the smallest order first."""
    return apply("make_ordered_layout", as_int_tuple(shape), as_int_tuple(order))  # type: ignore[no-any-return]


def make_identity_layout(shape: Any) -> Layout:
    """Basis strides: every coordinate maps to itself."""
    return apply("make_identity_layout", as_int_tuple(shape))  # type: ignore[no-any-return]


def make_layout_like(ref: Any) -> Layout:
    """A compact layout ordered as the strides of `ref`."""
    return apply("make_layout_like", as_layout(ref))  # type: ignore[no-any-return]


def make_fragment_layout_like(tensor: Any) -> Layout:
    """The register layout of a fragment shaped like a layout or tensor."""
    return apply("make_fragment_layout_like", _layout_of(tensor))  # type: ignore[no-any-return]


def make_composed_layout(inner: Any, offset_or_outer: Any, outer: Any = None) -> ComposedLayout:
    """inner o offset o outer; the offset defaults to 0."""
    offset, outer = (0, offset_or_outer) if outer is None else (offset_or_outer, outer)
    inner = inner if isinstance(inner, StructuredValue) else static(inner)
    return apply("make_composed_layout", inner, as_int_tuple(offset), as_layout(outer))  # type: ignore[no-any-return]


def make_layout_tv(thr_layout: Any, val_layout: Any) -> tuple[Tile, Layout]:
    """The tile and the (thread, value) layout of `val_layout` repeated over `thr_layout`; both static."""
    thr, val = as_layout(thr_layout), as_layout(val_layout)
    if not (thr.is_static and val.is_static):
        raise FrontendError(f"make_layout_tv needs static layouts, found {thr!r} and {val!r}")
    tile, layout_tv = algebra.make_layout_tv(thr.payload, val.payload)
    return Tile(tile), Layout(layout_tv)


def rank(int_or_tuple: Any) -> int:
    """Number of modes."""
    return algebra.rank(_payload(int_or_tuple))


def depth(int_or_tuple: Any) -> int:
    """Nesting depth."""
    return algebra.depth(_payload(int_or_tuple))


def size(int_tuple: Any) -> IntTuple:
    """Number of elements, a leaf."""
    return apply("size", _structured(int_tuple))  # type: ignore[no-any-return]


def cosize(layout: Any) -> IntTuple:
    """Size of the codomain."""
    return apply("cosize", _layout_of(layout))  # type: ignore[no-any-return]


def coshape(layout: Any) -> IntTuple:
    """Shape of the codomain."""
    return apply("coshape", _layout_of(layout))  # type: ignore[no-any-return]


def coprofile(layout: Any) -> IntTuple:
    """Profile of the codomain."""
    return apply("coprofile", _layout_of(layout))  # type: ignore[no-any-return]


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
    path = list(mode) if isinstance(mode, tuple | list) else [mode]
    return apply("get", _structured(int_tuple), mode=[index.__index__() for index in path])


get = get_


def take(int_tuple: Any, begin: int, end: int) -> Any:
    """The modes [begin, end)."""
    return apply("take", _structured(int_tuple), begin=begin, end=end)


def select(int_tuple: Any, indices: Any) -> Any:
    """The modes listed in `indices`, in that order."""
    return apply("select", _structured(int_tuple), indices=[index.__index__() for index in indices])


def group(int_tuple: Any, begin: int, end: int) -> Any:
    """The modes [begin, end) as one."""
    return apply("group", _structured(int_tuple), begin=begin, end=end)


def append(base: Any, elem: Any, *, n: int | None = None) -> Any:
    """`base` with a mode added at the end, up to rank `n`."""
    return _extend("append", base, elem, n)


def prepend(base: Any, elem: Any, *, n: int | None = None) -> Any:
    """`base` with a mode added in front, up to rank `n`."""
    return _extend("prepend", base, elem, n)


def slice(src: Any, coord: Any) -> Any:
    """Keep the modes where `coord` is None; a tensor advances by the others."""
    return apply("slice", _structured(src), as_int_tuple(coord))


def dice(src: Any, coord: Any) -> Any:
    """Keep the modes where `coord` is not None."""
    return apply("dice", _structured(src), as_int_tuple(coord))


def crd2idx(crd: Any, layout: Any) -> Any:
    """The offset of a coordinate."""
    return apply("crd2idx", as_int_tuple(crd), _layout_of(layout))


def idx2crd(index: Any, layout: Any) -> Any:
    """The coordinate of a linear index."""
    return apply("idx2crd", as_int_tuple(index), _layout_of(layout))


def get_flat_coord(index: Any, layout: Any) -> Any:
    """The flat coordinate of a linear index."""
    return apply("get_flat_coord", as_int_tuple(index), _layout_of(layout))


def get_1d_coord(index: Any, layout: Any) -> Any:
    """The column-major linear coordinate of a coordinate."""
    return apply("get_1d_coord", as_int_tuple(index), _layout_of(layout))


def coalesce(layout: Any, pattern: Any = None) -> Any:
    """Merge contiguous modes, within the modes of `pattern` when it is given."""
    operands = [as_layout(layout)] if pattern is None else [as_layout(layout), as_int_tuple(pattern)]
    return apply("coalesce", *operands)


def composition(layout: Any, tiler: Any) -> Any:
    """layout o tiler, mode by mode when `tiler` is a tile."""
    return apply("composition", _structured(layout), _divisor(tiler))


def complement(layout: Any, codomain_size: Any = None) -> Layout:
    """The layout of what `layout` leaves out of its codomain."""
    operands = [as_layout(layout)] if codomain_size is None else [as_layout(layout), as_int_tuple(codomain_size)]
    return apply("complement", *operands)  # type: ignore[no-any-return]


def right_inverse(layout: Any) -> Layout:
    """R with layout(R(i)) == i."""
    return apply("right_inverse", as_layout(layout))  # type: ignore[no-any-return]


def left_inverse(layout: Any) -> Layout:
    """L with L(layout(i)) == i."""
    return apply("left_inverse", as_layout(layout))  # type: ignore[no-any-return]


def logical_divide(layout: Any, divisor: Any) -> Any:
    """((tile), (rest)) in each mode."""
    return apply("logical_divide", _structured(layout), _divisor(divisor))


def zipped_divide(layout: Any, divisor: Any) -> Any:
    """((tiles), (rests))."""
    return apply("zipped_divide", _structured(layout), _divisor(divisor))


def tiled_divide(layout: Any, divisor: Any) -> Any:
    """((tiles), rest0, rest1, ...)."""
    return apply("tiled_divide", _structured(layout), _divisor(divisor))


def flat_divide(layout: Any, divisor: Any) -> Any:
    """(tile0, tile1, ..., rest0, rest1, ...)."""
    return apply("flat_divide", _structured(layout), _divisor(divisor))


def logical_product(layout: Any, tiler: Any) -> Layout:
    """`layout` repeated by `tiler`."""
    return apply("logical_product", as_layout(layout), _divisor(tiler))  # type: ignore[no-any-return]


def zipped_product(layout: Any, tiler: Any) -> Layout:
    """logical_product with its modes zipped."""
    return apply("zipped_product", as_layout(layout), _divisor(tiler))  # type: ignore[no-any-return]


def tiled_product(layout: Any, tiler: Any) -> Layout:
    """logical_product with the repetition unpacked."""
    return apply("tiled_product", as_layout(layout), _divisor(tiler))  # type: ignore[no-any-return]


def flat_product(layout: Any, tiler: Any) -> Layout:
    """logical_product with all modes unpacked."""
    return apply("flat_product", as_layout(layout), _divisor(tiler))  # type: ignore[no-any-return]


def blocked_product(layout: Any, tiler: Any) -> Layout:
    """Repeat whole blocks mode by mode."""
    return apply("blocked_product", as_layout(layout), as_layout(tiler))  # type: ignore[no-any-return]


def raked_product(layout: Any, tiler: Any) -> Layout:
    """Interleave the elements of blocks mode by mode."""
    return apply("raked_product", as_layout(layout), as_layout(tiler))  # type: ignore[no-any-return]


def recast_layout(layout: Any, old_type_bits: int, new_type_bits: int) -> Any:
    """The layout after the element width changed."""
    return apply("recast_layout", as_layout(layout), old_type_bits=old_type_bits, new_type_bits=new_type_bits)


def tile_to_shape(block: Any, trg_shape: Any, ord_shape: Any) -> Any:
    """`block` repeated until it covers `trg_shape`, in the mode order `ord_shape`."""
    return apply("tile_to_shape", as_layout(block), as_int_tuple(trg_shape), as_int_tuple(ord_shape))


def shape_div(lhs: Any, rhs: Any) -> IntTuple:
    """Shape division."""
    return _tuple_op("shape_div", lhs, rhs)


def ceil_div(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise division rounded up."""
    return _tuple_op("ceil_div", lhs, rhs)


def int_tuple_add(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise sum."""
    return _tuple_op("int_tuple_add", lhs, rhs)


def int_tuple_sub(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise difference."""
    return _tuple_op("int_tuple_sub", lhs, rhs)


def int_tuple_mul(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise product."""
    return _tuple_op("int_tuple_mul", lhs, rhs)


def int_tuple_div(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise quotient."""
    return _tuple_op("int_tuple_div", lhs, rhs)


def int_tuple_mod(lhs: Any, rhs: Any) -> IntTuple:
    """Leaf-wise remainder."""
    return _tuple_op("int_tuple_mod", lhs, rhs)


def int_tuple_product(int_tuple: Any) -> IntTuple:
    """Product of all leaves."""
    return apply("int_tuple_product", as_int_tuple(int_tuple))  # type: ignore[no-any-return]


def int_tuple_product_each(int_tuple: Any) -> IntTuple:
    """Product of the leaves of each mode."""
    return apply("int_tuple_product_each", as_int_tuple(int_tuple))  # type: ignore[no-any-return]


def int_tuple_product_like(int_tuple: Any, guide: Any) -> IntTuple:
    """Products down to the profile of `guide`."""
    return _tuple_op("int_tuple_product_like", int_tuple, guide)


def elem_less(lhs: Any, rhs: Any) -> Boolean:
    """Whether every leaf of `lhs` is less than its counterpart: the usual bounds predicate."""
    return _predicate("elem_less", lhs, rhs)


def equal(lhs: Any, rhs: Any) -> Boolean:
    """Whether two int tuples or layouts are equal leaf by leaf."""
    return _predicate("equal", lhs, rhs)


def _layout_part(op: str, part: str, source: Any) -> IntTuple:
    value = _structured(source)
    layout = getattr(value.payload, "layout", value.payload)
    known = getattr(layout, part, None)
    if known is not None and algebra.is_static(known):
        return IntTuple(known)
    return apply(op, value)  # type: ignore[no-any-return]


def _predicate(name: str, lhs: Any, rhs: Any) -> Boolean:
    a, b = _structured(lhs), _structured(rhs)
    if a.is_static and b.is_static:
        return Boolean.wrap(bool(getattr(algebra, name)(a.payload, b.payload)))
    return Boolean.wrap(current().fly(name, [a.ir_value(), b.ir_value()]))


def _tuple_op(name: str, lhs: Any, rhs: Any) -> IntTuple:
    return apply(name, as_int_tuple(lhs), as_int_tuple(rhs))  # type: ignore[no-any-return]


def _extend(name: str, base: Any, elem: Any, n: int | None) -> Any:
    value = _structured(base)
    extra = as_layout(elem) if isinstance(value, LayoutValue) else as_int_tuple(elem)
    return apply(name, value, extra, **({} if n is None else {"n": n}))


def _structured(value: Any) -> Any:
    """`value` as an operand: layouts, tensors and int tuples stay, Python tuples and scalars become int tuples."""
    return value if isinstance(value, StructuredValue) else as_int_tuple(value)


def _layout_of(value: Any) -> Any:
    from flydsl.expr.tensor import Tensor

    if isinstance(value, Tensor):
        return get_layout(value)
    return value if isinstance(value, StructuredValue) else as_layout(value)


def _divisor(value: Any) -> Any:
    if isinstance(value, LayoutValue | Tile):
        return value
    if isinstance(value, algebra.Layout | algebra.Tile):
        return box_static(value)
    return make_tile(value if isinstance(value, tuple | list) else (value,))


def _payload(value: Any) -> Any:
    structured = _structured(value)
    payload = structured.payload
    return getattr(payload, "layout", payload)
