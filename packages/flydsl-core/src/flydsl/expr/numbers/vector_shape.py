"""Shapes of vectors: extents, which a tensor may have nested, and the elements at coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike

Shape: TypeAlias = tuple["int | Shape", ...]
ShapeLike: TypeAlias = "Sequence[int | ShapeLike] | int"


def as_shape(shape: ShapeLike) -> Shape:
    """A shape as a tuple of integers and such tuples."""
    modes = shape if isinstance(shape, tuple | list) else (shape,)
    return tuple(as_shape(mode) if isinstance(mode, tuple | list) else mode.__index__() for mode in modes)


def number_of(shape: int | Shape) -> int:
    """How many elements there are."""
    return prod(map(number_of, shape)) if isinstance(shape, tuple) else shape


def leaves(shape: int | Shape) -> tuple[int, ...]:
    """The extents, from left to right."""
    return tuple(leaf for mode in shape for leaf in leaves(mode)) if isinstance(shape, tuple) else (shape,)


def coordinate_index(coord: Any, shape: int | Shape) -> int:
    """The index of a coordinate in the order of tensors: mode 0 changes fastest; an integer counts a whole mode."""
    if not isinstance(coord, tuple):
        return position_in(coord, number_of(shape))
    if not isinstance(shape, tuple) or len(coord) != len(shape):
        raise FrontendError(f"{coord!r} is no coordinate of the shape {shape}")
    index = 0
    for part, mode in zip(reversed(coord), reversed(shape), strict=True):
        index = index * number_of(mode) + coordinate_index(part, mode)
    return index


def is_dynamic_index(index: object) -> bool:
    """Whether an index is known only at run time."""
    return hasattr(index, "is_static") and not index.is_static


def position_in(index: IntLike, extent: int) -> int:
    """An index known while tracing, from the end if negative."""
    if not hasattr(index, "__index__"):
        raise FrontendError(f"an element of a vector is at an integer, found {index!r}")
    position = index.__index__()
    if not -extent <= position < extent:
        raise FrontendError(f"index {position} is out of range for a vector of {extent} elements")
    return int(position % extent)


def row_major_indices(extents: tuple[int, ...]) -> list[int]:
    """For each element in the order of tensors, where it is in row-major order."""
    steps = [prod(extents[axis + 1 :]) for axis in range(len(extents))]
    coords = product(*(range(extent) for extent in reversed(extents)))
    return [sum(i * step for i, step in zip(reversed(coord), steps, strict=True)) for coord in coords]


def broadcast_indices(shape: Shape, target: Shape) -> list[int] | None:
    """For each element of `target`, in the order of tensors, which one of `shape` it is; None if they do not fit."""
    own, wanted = leaves(shape), leaves(target)
    if len(own) != len(wanted) or any(a not in (1, b) for a, b in zip(own, wanted, strict=True)):
        return None
    steps = [0 if extent == 1 else prod(own[:axis]) for axis, extent in enumerate(own)]
    coords = product(*(range(extent) for extent in reversed(wanted)))
    return [sum(i * step for i, step in zip(reversed(coord), steps, strict=True)) for coord in coords]
