"""Coordinates and indexes over raw shapes and strides: crd2idx, idx2crd and the column-major forms."""

from __future__ import annotations

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.digits import digits
from flydsl.layout.int_tuple import IntTuple, coordinate, flat, plus, product, unflatten
from flydsl.layout.leaf import Basis, Leaf
from flydsl.layout.width import has_dynamic_leaf, has_wide_size, is_wide_leaf, needs_wide_index


def coordinate_to_index(coord: IntTuple, shape: IntTuple, stride: IntTuple, start: Leaf = 0) -> IntTuple:
    """The index (or coordinate, for basis strides) of `coord`; a leaf coordinate of a tuple is split column-major.

    `start` is what the caller adds to it: it counts for the width (see `flydsl.layout.width`).
    """
    is_wide = has_dynamic_leaf(coord) and needs_wide_index(shape, stride, start)
    return _to_index(coord, shape, stride, is_wide)


def _to_index(coord: IntTuple, shape: IntTuple, stride: IntTuple, is_wide: bool) -> IntTuple:
    if isinstance(coord, tuple):
        if not isinstance(shape, tuple) or not isinstance(stride, tuple) or len(shape) != len(coord):
            raise LayoutError("crd2idx", (coord, shape, stride), "the coordinate must have the rank of the shape")
        total: IntTuple = 0
        for c, s, d in zip(coord, shape, stride, strict=True):
            term = c * d if type(c) is int and type(d) is int else _to_index(c, s, d, is_wide)
            total = total + term if type(total) is int and type(term) is int else plus(total, term)
        return total
    if not isinstance(shape, tuple):
        return _scaled(coord, stride, is_wide or is_wide_leaf(shape))  # type: ignore[arg-type]
    return _linear_to_index(coord, flat(shape), flat(stride), is_wide)


def _linear_to_index(coord: Leaf, shape: list[Leaf], stride: list[Leaf], is_wide: bool) -> IntTuple:
    total: IntTuple = 0
    for s, d in zip(shape[:-1], stride[:-1], strict=True):
        total = plus(total, _scaled(leaf.mod(coord, s), d, is_wide))
        coord = leaf.div(coord, s)
    return plus(total, _scaled(coord, stride[-1], is_wide or is_wide_leaf(shape[-1])))


def _scaled(coord: Leaf, stride: Leaf, is_wide: bool) -> IntTuple:
    """coord * stride, along a basis stride a coordinate even where it is 0."""
    if is_wide:
        coord = leaf.widened(coord)
    if isinstance(stride, Basis):
        return coordinate(Basis(leaf.mul(coord, stride.value), stride.path))  # type: ignore[arg-type]
    return leaf.mul(coord, stride)


def column_major(coord: IntTuple, shape: IntTuple) -> Leaf:
    """The column-major number of `coord` in `shape`."""
    if not isinstance(coord, tuple):
        return coord
    if not isinstance(shape, tuple) or len(shape) != len(coord):
        raise LayoutError("get_1d_coord", (coord, shape), "the coordinate must have the rank of the shape")
    is_wide = has_dynamic_leaf(coord) and has_wide_size(shape)
    total: Leaf = 0
    for c, s in zip(reversed(coord), reversed(shape), strict=True):
        number = column_major(c, s)
        total = leaf.add(leaf.mul(total, product(s)), leaf.widened(number) if is_wide else number)
    return total


def index_to_coordinate(index: IntTuple, shape: IntTuple, stride: IntTuple) -> IntTuple:
    """The coordinate at `index`: one that `coordinate_to_index` sends there, if there is one.

    Where there is none it is (index / stride) % extent in each mode; a negative index is a LayoutError. Of an index
    known at run time only, as exact as what is known allows: static strides that interleave are refused; of several
    strides known at run time only each must be a multiple of those below it times their extents.
    """
    extents, strides = flat(shape), flat(stride)
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, (s, d) in enumerate(zip(extents, strides, strict=True)):
        if s != 1:
            groups.setdefault(d.path if isinstance(d, Basis) else (), []).append(number)
    parts: list[Leaf] = [0] * len(extents)
    for path, numbers in groups.items():
        component = _component(index, path, shape, stride)
        steps = [d.value if isinstance(d := strides[number], Basis) else d for number in numbers]
        if 0 in steps:
            mode = extents[numbers[steps.index(0)]]
            raise LayoutError("idx2crd", (index, mode, 0), "a mode of stride 0 has no unique coordinate")
        found = digits(component, [extents[number] for number in numbers], steps)
        if not found:
            raise LayoutError("idx2crd", (index, shape, stride), "no coordinate has this index")
        for number, digit in zip(numbers, found, strict=True):
            parts[number] = digit
    if not groups and type(index) is int and index < 0:
        raise LayoutError("idx2crd", (index, shape, stride), "no coordinate has this index")
    return unflatten(iter(parts), shape)


def _component(index: IntTuple, path: tuple[int, ...], shape: IntTuple, stride: IntTuple) -> Leaf:
    """What the coordinate `index` holds at the mode of a basis path; a shorter coordinate means zero there."""
    value = index
    for mode in path:
        if not isinstance(value, tuple):
            raise LayoutError("idx2crd", (index, shape, stride), "a basis stride needs a coordinate with its mode")
        value = value[mode] if mode < len(value) else 0
        if type(value) is int and value == 0:
            return 0
    if isinstance(value, tuple):
        condition = "the mode of a basis stride must be a leaf of the coordinate"
        if not path:
            condition = "the index must be an integer, found a coordinate"
        raise LayoutError("idx2crd", (index, shape, stride), condition)
    return value
