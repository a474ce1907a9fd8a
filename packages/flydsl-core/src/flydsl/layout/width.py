"""The width of an index: 32 bits where the layout fits, else 64.

One rule, which type inference, lowering and the interpreter take from here, since all of them run this algebra:

* An integer that is known counts as 32 bits wide where it fits in a signed number of 32 bits, else as 64.
* The result of arithmetic on leaves is as wide as its widest operand.
* A dynamic leaf of 32 bits is a promise: the layouts that it is part of have a cosize and a size below 2^30, half of
  what 32 bits hold, so that both may be rounded up to whole tiles. Whoever makes the leaf keeps it. Tensor arguments
  have leaves of 64 bits where they do not (see `compiler.call.index_width`), and a kernel that makes large layouts of
  its own gives them `Int64` leaves.
* A coordinate of 32 bits is widened before it is multiplied by a stride where the product, or the sum of them all, may
  reach 2^30: in a layout whose static modes reach that far, and in a mode whose extent is a leaf of 64 bits.

So a layout that fits is computed in 32 bits throughout, and no other one is; sums and products of leaves of 32 bits do
not overflow, and an index of 32 bits, times the four bytes of a number, is a number of 32 bits without a sign.
"""

from __future__ import annotations

from flydsl.layout.int_tuple import IntTuple, flat
from flydsl.layout.leaf import Basis, Dyn, Leaf

FIRST_WIDE = 1 << 30
"""The first index that is not computed in 32 bits."""


def needs_wide_index(shape: IntTuple, stride: IntTuple, start: Leaf = 0) -> bool:
    """Whether the static modes of `shape:stride` reach an index of 2^30 or more, counted from a static `start`.

    A basis stride counts along its own mode, so it is the furthest of these that matters.
    """
    reach: dict[tuple[int, ...], int] = {(): abs(start) if type(start) is int else 0}
    for extent, step in zip(flat(shape), flat(stride), strict=True):
        path, size = (step.path, step.value) if isinstance(step, Basis) else ((), step)
        if type(extent) is int and type(size) is int:
            reach[path] = reach.get(path, 0) + (extent - 1) * abs(size)
    return max(reach.values()) >= FIRST_WIDE


def has_wide_size(shape: IntTuple) -> bool:
    """Whether the static extents of `shape` have a product of 2^30 or more."""
    size = 1
    for extent in flat(shape):
        if type(extent) is int:
            size *= extent
    return size >= FIRST_WIDE


def has_dynamic_leaf(coord: IntTuple) -> bool:
    """Whether a leaf of a coordinate is known at run time only."""
    return any(map(has_dynamic_leaf, coord)) if isinstance(coord, tuple) else isinstance(coord, Dyn)


def is_wide_leaf(value: IntTuple) -> bool:
    """Whether this is a dynamic leaf of 64 bits."""
    return isinstance(value, Dyn) and value.width == 64
