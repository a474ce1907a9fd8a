"""Layouts of tiles in shared memory that matrix instructions and the copy engine read without bank conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError
from flydsl.expr import Numeric, make_composed_layout, make_layout, tile_to_shape

if TYPE_CHECKING:
    from flydsl.expr import LayoutValue

__all__ = ["smem_layout", "smem_layout_atom"]

_SPANS = {128: 3, 64: 2, 32: 1, 16: 0}
"""Bytes of a row of an atom, and the bits that its swizzle exchanges."""
_ROWS, _GRANULE_BITS, _SHIFT = 8, 4, 3
_MAJORS = ("k", "mn")


def smem_layout_atom(major: str, dtype: type[Numeric], tile: tuple[int, ...]) -> LayoutValue:
    """The smallest piece of a tile (M or N, K) of `dtype` that `WGMMA` reads: 8 rows, swizzled, of 128 bytes.

    `major` says along which direction neighbours are, "k" or "mn"; tiles that are short in that direction have rows of
    64, 32 or 16 bytes. `fx.tile_to_shape` repeats it; `smem_layout` gives a whole tile.
    """
    if major not in _MAJORS:
        raise FrontendError(f"fx.nvvm.smem_layout_atom: operands are {' or '.join(_MAJORS)}-major, found {major!r}")
    if not isinstance(dtype, type) or not issubclass(dtype, Numeric) or dtype.width not in (8, 16, 32):
        raise FrontendError(f"fx.nvvm.smem_layout_atom is for elements of 8, 16 or 32 bits, found {dtype!r}")
    if (
        not isinstance(tile, tuple | list)
        or len(tile) < 2
        or not all(isinstance(extent, int) and extent > 0 for extent in tile)
    ):
        raise FrontendError(f"fx.nvvm.smem_layout_atom: a tile has two positive extents at least, found {tile!r}")
    contiguous, other = (tile[1], tile[0]) if major == "k" else (tile[0], tile[1])
    size = contiguous * dtype.width // 8
    span = next((span for span in _SPANS if size % span == 0), 0)
    if not span or other % _ROWS:
        raise FrontendError(
            f"fx.nvvm.smem_layout_atom: a tile has rows of whole 16 bytes and a multiple of {_ROWS} of them; "
            f"{tile} of {dtype.__name__} has {other} of {size} bytes"
        )
    extent = span * 8 // dtype.width
    plain = make_layout((_ROWS, extent), (extent, 1)) if major == "k" else make_layout((extent, _ROWS), (1, extent))
    if not _SPANS[span]:
        return plain
    base = _GRANULE_BITS - (dtype.width // 8).bit_length() + 1  # the swizzle counts elements
    return make_composed_layout(algebra.Swizzle(_SPANS[span], base, _SHIFT), plain)


def smem_layout(major: str, dtype: type[Numeric], shape: tuple[int, ...]) -> LayoutValue:
    """The layout of a tile (M or N, K), or of several, (M or N, K, stages), for `WGMMA` with this major direction.

    Its memory begins at a multiple of 1024 bytes: `allocate(fx.Array[dtype, n, 1024]).view(layout)`.
    """
    atom = smem_layout_atom(major, dtype, shape)
    first = (0, 1) if major == "k" else (1, 0)
    return tile_to_shape(atom, shape, (*first, *range(2, len(shape))))
