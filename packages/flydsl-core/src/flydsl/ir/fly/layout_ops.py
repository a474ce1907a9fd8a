"""Operations of the layout algebra on int tuples, layouts and tensors; every result type is inferred."""

from __future__ import annotations

from flydsl.ir.fly.fields import Attr, Operand, OptionalAttr, OptionalOperand
from flydsl.ir.fly.op import InferredOp

__all__ = [
    "AppendOp",
    "BlockedProductOp",
    "CoalesceOp",
    "ComplementOp",
    "ComposedGetInnerOp",
    "ComposedGetOffsetOp",
    "ComposedGetOuterOp",
    "CompositionOp",
    "CoprofileOp",
    "CoshapeOp",
    "CosizeOp",
    "Crd2idxOp",
    "DiceOp",
    "FlatDivideOp",
    "FlatProductOp",
    "Get1dCoordOp",
    "GetFlatCoordOp",
    "GetIterOp",
    "GetLayoutOp",
    "GetOp",
    "GetShapeOp",
    "GetStrideOp",
    "GroupOp",
    "Idx2crdOp",
    "LeftInverseOp",
    "LogicalDivideOp",
    "LogicalProductOp",
    "MakeComposedLayoutOp",
    "MakeFragmentLayoutLikeOp",
    "MakeIdentityLayoutOp",
    "MakeLayoutLikeOp",
    "MakeLayoutOp",
    "MakeOrderedLayoutOp",
    "PrependOp",
    "RakedProductOp",
    "RecastLayoutOp",
    "RightInverseOp",
    "SelectOp",
    "SizeOp",
    "SliceOp",
    "TakeOp",
    "TileToShapeOp",
    "TiledDivideOp",
    "TiledProductOp",
    "ZippedDivideOp",
    "ZippedProductOp",
]


class MakeLayoutOp(InferredOp):
    """`(shape, stride) -> layout`."""

    name = "fly.make_layout"
    shape, stride = Operand(), Operand()


class MakeLayoutLikeOp(InferredOp):
    """`(ref) -> layout`: compact, with the modes in the order of the reference's strides."""

    name = "fly.make_layout_like"
    ref = Operand()


class MakeOrderedLayoutOp(InferredOp):
    """`(shape, order) -> layout`: compact, with strides growing in the given order of modes."""

    name = "fly.make_ordered_layout"
    shape, order = Operand(), Operand()


class MakeIdentityLayoutOp(InferredOp):
    """`(shape) -> layout`: basis strides, so that coordinates map to themselves."""

    name = "fly.make_identity_layout"
    shape = Operand()


class MakeComposedLayoutOp(InferredOp):
    """`(inner, offset, outer) -> composed_layout`: coordinate -> inner(offset + outer(coordinate))."""

    name = "fly.make_composed_layout"
    inner, offset, outer = Operand(), Operand(), Operand()


class MakeFragmentLayoutLikeOp(InferredOp):
    """`(layout or tensor) -> layout`: the compact layout of a register copy."""

    name = "fly.make_fragment_layout_like"
    ref = Operand()


class ComposedGetInnerOp(InferredOp):
    """`(composed_layout) -> layout, swizzle or composed_layout`."""

    name = "fly.composed_get_inner"
    input = Operand()


class ComposedGetOffsetOp(InferredOp):
    """`(composed_layout) -> int_tuple`."""

    name = "fly.composed_get_offset"
    input = Operand()


class ComposedGetOuterOp(InferredOp):
    """`(composed_layout) -> layout`."""

    name = "fly.composed_get_outer"
    input = Operand()


class GetShapeOp(InferredOp):
    """`(layout or tensor) -> int_tuple`."""

    name = "fly.get_shape"
    input = Operand()


class GetStrideOp(InferredOp):
    """`(layout or tensor) -> int_tuple`."""

    name = "fly.get_stride"
    input = Operand()


class GetLayoutOp(InferredOp):
    """`(tensor) -> layout or composed_layout`."""

    name = "fly.get_layout"
    input = Operand()


class GetIterOp(InferredOp):
    """`(tensor) -> ptr or int_tuple`: the pointer, or the base coordinate."""

    name = "fly.get_iter"
    input = Operand()


class GetOp(InferredOp):
    """`(x) {mode}`: one (nested) mode of an int tuple, layout or tensor."""

    name = "fly.get"
    input = Operand()
    mode = Attr(tuple)


class TakeOp(InferredOp):
    """`(x) {begin, end}`: the modes from begin to end, end excluded."""

    name = "fly.take"
    input = Operand()
    begin, end = Attr(int), Attr(int)


class SelectOp(InferredOp):
    """`(x) {indices}`: modes by number."""

    name = "fly.select"
    input = Operand()
    indices = Attr(tuple)


class GroupOp(InferredOp):
    """`(x) {begin, end}`: makes one mode of the modes from begin to end."""

    name = "fly.group"
    input = Operand()
    begin, end = Attr(int), Attr(int)


class AppendOp(InferredOp):
    """`<n>(x, e)`: adds e at the end, as often as it takes to reach n modes."""

    name = "fly.append"
    in_angles = "n"
    input, element = Operand(), Operand()
    n = OptionalAttr(int)


class PrependOp(InferredOp):
    """`<n>(x, e)`: adds e in front, as often as it takes to reach n modes."""

    name = "fly.prepend"
    in_angles = "n"
    input, element = Operand(), Operand()
    n = OptionalAttr(int)


class SliceOp(InferredOp):
    """`(x, coord)`: keeps what the coordinate leaves open with `*`; a tensor moves to where the rest points."""

    name = "fly.slice"
    input, coord = Operand(), Operand()


class DiceOp(InferredOp):
    """`(x, coord)`: keeps what the coordinate fixes."""

    name = "fly.dice"
    input, coord = Operand(), Operand()


class SizeOp(InferredOp):
    """`(x) -> int_tuple`: number of elements."""

    name = "fly.size"
    input = Operand()


class CoprofileOp(InferredOp):
    """`(layout) -> int_tuple`: the profile of the codomain, with zeros for leaves."""

    name = "fly.coprofile"
    input = Operand()


class CoshapeOp(InferredOp):
    """`(layout) -> int_tuple`: the shape of the codomain."""

    name = "fly.coshape"
    input = Operand()


class CosizeOp(InferredOp):
    """`(layout) -> int_tuple`: the size of the codomain."""

    name = "fly.cosize"
    input = Operand()


class Crd2idxOp(InferredOp):
    """`(coord, layout or swizzle) -> int_tuple`: applies the layout."""

    name = "fly.crd2idx"
    coord, layout = Operand(), Operand()


class Idx2crdOp(InferredOp):
    """`(index, layout) -> int_tuple`: the coordinate of a linear index."""

    name = "fly.idx2crd"
    index, layout = Operand(), Operand()


class GetFlatCoordOp(InferredOp):
    """`(index, layout) -> int_tuple`: the flat coordinate of an index or coordinate."""

    name = "fly.get_flat_coord"
    index, layout = Operand(), Operand()


class Get1dCoordOp(InferredOp):
    """`(index, layout) -> int_tuple`: the column-major number of a coordinate."""

    name = "fly.get_1d_coord"
    index, layout = Operand(), Operand()


class CoalesceOp(InferredOp):
    """`(layout[, pattern]) -> layout`: the same function with as few modes as possible (per leaf of the pattern)."""

    name = "fly.coalesce"
    layout, pattern = Operand(), OptionalOperand()


class CompositionOp(InferredOp):
    """`(outer, layout or tile) -> layout`: coordinate -> outer(inner(coordinate))."""

    name = "fly.composition"
    outer, inner = Operand(), Operand()


class ComplementOp(InferredOp):
    """`(layout[, codomain]) -> layout`: what the layout leaves out of the codomain."""

    name = "fly.complement"
    layout, codomain = Operand(), OptionalOperand()


class RightInverseOp(InferredOp):
    """`(layout) -> layout`: R with layout(R(i)) == i."""

    name = "fly.right_inverse"
    layout = Operand()


class LeftInverseOp(InferredOp):
    """`(layout) -> layout`: L with L(layout(i)) == i."""

    name = "fly.left_inverse"
    layout = Operand()


class LogicalDivideOp(InferredOp):
    """`(x, layout or tile)`: divides a layout or tensor; each mode becomes (tile, rest)."""

    name = "fly.logical_divide"
    input, divisor = Operand(), Operand()


class ZippedDivideOp(InferredOp):
    """`(x, layout or tile)`: divides a layout or tensor; ((tile...), (rest...))."""

    name = "fly.zipped_divide"
    input, divisor = Operand(), Operand()


class TiledDivideOp(InferredOp):
    """`(x, layout or tile)`: divides a layout or tensor; ((tile...), rest...)."""

    name = "fly.tiled_divide"
    input, divisor = Operand(), Operand()


class FlatDivideOp(InferredOp):
    """`(x, layout or tile)`: divides a layout or tensor; (tile..., rest...)."""

    name = "fly.flat_divide"
    input, divisor = Operand(), Operand()


class LogicalProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; (block, tiler)."""

    name = "fly.logical_product"
    block, tiler = Operand(), Operand()


class ZippedProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; ((block...), (tiler...))."""

    name = "fly.zipped_product"
    block, tiler = Operand(), Operand()


class TiledProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; ((block...), tiler...)."""

    name = "fly.tiled_product"
    block, tiler = Operand(), Operand()


class FlatProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; (block..., tiler...)."""

    name = "fly.flat_product"
    block, tiler = Operand(), Operand()


class BlockedProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; each mode becomes (block, tiler)."""

    name = "fly.blocked_product"
    block, tiler = Operand(), Operand()


class RakedProductOp(InferredOp):
    """`(block, tiler) -> layout`: repeats the block over the tiler; each mode becomes (tiler, block)."""

    name = "fly.raked_product"
    block, tiler = Operand(), Operand()


class RecastLayoutOp(InferredOp):
    """`(layout) {old_type_bits, new_type_bits} -> layout`: the same bits in elements of another width."""

    name = "fly.recast_layout"
    input = Operand()
    old_type_bits, new_type_bits = Attr(int), Attr(int)


class TileToShapeOp(InferredOp):
    """`(block, shape, order) -> layout`: repeats the block until it covers the shape, in the given order of modes."""

    name = "fly.tile_to_shape"
    block, shape, order = Operand(), Operand(), Operand()
