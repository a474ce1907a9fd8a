"""The layout algebra on values: composition, division, product, inverse, and leaf-wise arithmetic."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, overload

from flydsl.expr.layouts.evaluate import apply, as_divisor, structured
from flydsl.expr.layouts.int_tuple import IntTuple, as_int_tuple, get_scalar
from flydsl.expr.layouts.layout import Layout, as_layout
from flydsl.expr.numbers.ceiling_division import ceildiv
from flydsl.expr.numeric import Numeric, as_numeric

if TYPE_CHECKING:
    from flydsl.expr.layouts.layout import Swizzle
    from flydsl.expr.layouts.value import StructuredValue
    from flydsl.expr.values.operand_types import IntTupleLike, Layered, LayoutLike, ShapeLike, StructuredLike, TilerLike
    from flydsl.expr.values.traced_types import Structure

__all__ = [
    "blocked_product",
    "ceil_div",
    "coalesce",
    "complement",
    "composition",
    "flat_divide",
    "flat_product",
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
    "raked_product",
    "recast_layout",
    "right_inverse",
    "shape_div",
    "tile_to_shape",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]


def coalesce(layout: LayoutLike, pattern: IntTupleLike = None) -> Layout:
    """`layout` with contiguous modes merged, only within the modes of `pattern` if there is one."""
    operands = [as_layout(layout)] if pattern is None else [as_layout(layout), as_int_tuple(pattern)]
    return apply("coalesce", *operands)


@overload
def composition(layout: Layered, tiler: TilerLike) -> Layered: ...
@overload
def composition(layout: Swizzle | IntTupleLike, tiler: TilerLike) -> Structure: ...
def composition(layout: StructuredLike, tiler: TilerLike) -> StructuredValue:
    """The composition `layout(tiler(i))`, mode by mode if `tiler` is a tile."""
    return apply("composition", structured(layout), as_divisor(tiler))


def complement(layout: LayoutLike, codomain_size: ShapeLike = None) -> Layout:
    """The layout of the offsets that `layout` skips, up to `codomain_size` if there is one."""
    operands = [as_layout(layout)] if codomain_size is None else [as_layout(layout), as_int_tuple(codomain_size)]
    return apply("complement", *operands)


def right_inverse(layout: LayoutLike) -> Layout:
    """The right inverse R: `layout(R(i)) == i`."""
    return apply("right_inverse", as_layout(layout))


def left_inverse(layout: LayoutLike) -> Layout:
    """The left inverse L: `L(layout(i)) == i`, but for modes of stride 0, whose coordinates it gives as 0."""
    return apply("left_inverse", as_layout(layout))


@overload
def logical_divide(layout: Layered, divisor: TilerLike) -> Layered: ...
@overload
def logical_divide(layout: Swizzle | IntTupleLike, divisor: TilerLike) -> Structure: ...
def logical_divide(layout: StructuredLike, divisor: TilerLike) -> StructuredValue:
    """`layout` divided into tiles, mode by mode: each mode becomes (tile, rest)."""
    return apply("logical_divide", structured(layout), as_divisor(divisor))


@overload
def zipped_divide(layout: Layered, divisor: TilerLike) -> Layered: ...
@overload
def zipped_divide(layout: Swizzle | IntTupleLike, divisor: TilerLike) -> Structure: ...
def zipped_divide(layout: StructuredLike, divisor: TilerLike) -> StructuredValue:
    """`logical_divide` with the tiles and the rests gathered: ((tile0, tile1, ...), (rest0, rest1, ...))."""
    return apply("zipped_divide", structured(layout), as_divisor(divisor))


@overload
def tiled_divide(layout: Layered, divisor: TilerLike) -> Layered: ...
@overload
def tiled_divide(layout: Swizzle | IntTupleLike, divisor: TilerLike) -> Structure: ...
def tiled_divide(layout: StructuredLike, divisor: TilerLike) -> StructuredValue:
    """`zipped_divide` with the rests as modes of their own: ((tile0, tile1, ...), rest0, rest1, ...)."""
    return apply("tiled_divide", structured(layout), as_divisor(divisor))


@overload
def flat_divide(layout: Layered, divisor: TilerLike) -> Layered: ...
@overload
def flat_divide(layout: Swizzle | IntTupleLike, divisor: TilerLike) -> Structure: ...
def flat_divide(layout: StructuredLike, divisor: TilerLike) -> StructuredValue:
    """`zipped_divide` with every tile and rest as a mode of its own: (tile0, tile1, ..., rest0, rest1, ...)."""
    return apply("flat_divide", structured(layout), as_divisor(divisor))


def logical_product(layout: LayoutLike, tiler: TilerLike) -> Layout:
    """`layout` repeated along a second mode, laid out by `tiler`: (layout, repetitions)."""
    return apply("logical_product", as_layout(layout), as_divisor(tiler))


def zipped_product(layout: LayoutLike, tiler: TilerLike) -> Layout:
    """`logical_product` with the blocks and the repetitions gathered: ((block0, ...), (repetition0, ...))."""
    return apply("zipped_product", as_layout(layout), as_divisor(tiler))


def tiled_product(layout: LayoutLike, tiler: TilerLike) -> Layout:
    """`zipped_product` with the repetitions as modes of their own."""
    return apply("tiled_product", as_layout(layout), as_divisor(tiler))


def flat_product(layout: LayoutLike, tiler: TilerLike) -> Layout:
    """`zipped_product` with every block and repetition as a mode of its own."""
    return apply("flat_product", as_layout(layout), as_divisor(tiler))


def blocked_product(layout: LayoutLike, tiler: LayoutLike) -> Layout:
    """`layout` repeated mode by mode as whole blocks: each mode is (block, repetition)."""
    return apply("blocked_product", as_layout(layout), as_layout(tiler))


def raked_product(layout: LayoutLike, tiler: LayoutLike) -> Layout:
    """`layout` repeated mode by mode with interleaved elements: each mode is (repetition, block)."""
    return apply("raked_product", as_layout(layout), as_layout(tiler))


def recast_layout(layout: LayoutLike, old_type_bits: int, new_type_bits: int) -> Layout:
    """`layout` for the same memory with elements of `new_type_bits` instead of `old_type_bits` bits."""
    return apply("recast_layout", as_layout(layout), old_type_bits=old_type_bits, new_type_bits=new_type_bits)


def tile_to_shape(block: LayoutLike, trg_shape: ShapeLike, ord_shape: IntTupleLike) -> Layout:
    """`block` repeated until it covers the shape `trg_shape`, along the modes in the order `ord_shape`."""
    return apply("tile_to_shape", as_layout(block), as_int_tuple(trg_shape), as_int_tuple(ord_shape))


def shape_div(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """The shape that remains of `lhs` after dividing out `rhs`: mode by mode, or from the left if `rhs` is a leaf."""
    return _tuple_op("shape_div", lhs, rhs)


def ceil_div(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise quotient, rounded up. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("ceil_div", ceildiv, lhs, rhs)


def int_tuple_add(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise sum. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("int_tuple_add", operator.add, lhs, rhs)


def int_tuple_sub(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise difference. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("int_tuple_sub", operator.sub, lhs, rhs)


def int_tuple_mul(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise product. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("int_tuple_mul", operator.mul, lhs, rhs)


def int_tuple_div(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise quotient, truncated. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("int_tuple_div", operator.floordiv, lhs, rhs)


def int_tuple_mod(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """Leaf-wise remainder. Of a Uint64 or Index, which a leaf may not hold, a scalar of its type."""
    return _arithmetic("int_tuple_mod", operator.mod, lhs, rhs)


def int_tuple_product(int_tuple: IntTupleLike) -> IntTuple:
    """Product of all leaves."""
    return apply("int_tuple_product", as_int_tuple(int_tuple))


def int_tuple_product_each(int_tuple: IntTupleLike) -> IntTuple:
    """Product of the leaves of each mode."""
    return apply("int_tuple_product_each", as_int_tuple(int_tuple))


def int_tuple_product_like(lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """The products of the leaves of `lhs` down to the profile of `rhs`."""
    return _tuple_op("int_tuple_product_like", lhs, rhs)


def _arithmetic(name: str, function: Callable[[Any, Any], Any], lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    """`name` leaf by leaf, or the `function` of scalars where one is an unsigned number of 64 bits."""
    if any(isinstance(operand, Numeric) and _fills_unsigned(operand) for operand in (lhs, rhs)):
        return function(*(_scalar(operand) for operand in (lhs, rhs)))  # type: ignore[no-any-return]
    return _tuple_op(name, lhs, rhs)


def _fills_unsigned(scalar: Numeric) -> bool:
    return not scalar.is_static and scalar.width >= 64 and not scalar.dtype.is_signed and not scalar.is_float


def _scalar(operand: Any) -> Numeric:
    return as_numeric(get_scalar(operand) if isinstance(operand, tuple | list | IntTuple) else operand)


def _tuple_op(name: str, lhs: IntTupleLike, rhs: IntTupleLike) -> IntTuple:
    return apply(name, as_int_tuple(lhs), as_int_tuple(rhs))
