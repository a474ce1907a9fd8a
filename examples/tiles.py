"""What kernels on tiles share: a tensor and a tile in, its tiles, their coordinates and flags of what exists out."""

from __future__ import annotations

import flydsl.expr as fx

__all__ = ["inside", "tiles_of"]


def tiles_of(tensor: fx.Tensor, tile: tuple[int, int]) -> tuple[fx.Tensor, fx.Tensor]:
    """The tensor, and the coordinates of its elements, as (row, column, which tile down, which tile across)."""
    coordinates = fx.make_view(fx.make_coord(0, 0), fx.make_identity_layout(tensor.shape))
    return fx.flat_divide(tensor, fx.make_tile(*tile)), fx.flat_divide(coordinates, fx.make_tile(*tile))


def inside(crd: fx.Tensor, shape: fx.IntTuple, registers: fx.Tensor) -> fx.Tensor:
    """One flag for each element of `registers`: does its coordinate lie inside of `shape`?"""
    flags = fx.make_fragment_like(registers, fx.Boolean)
    for i in fx.range_constexpr(fx.size(flags.shape)):
        flags[i] = fx.elem_less(crd[i], shape)
    return flags
