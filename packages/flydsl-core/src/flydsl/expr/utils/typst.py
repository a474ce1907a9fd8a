"""Pictures of layouts, atoms, tiled copies and tiled MMAs for documents."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from flydsl.base.errors import SettingError
from flydsl.expr.layouts.layout import ComposedLayout, Layout
from flydsl.expr.tiles.atoms import MmaAtom
from flydsl.expr.tiles.tiled_copy import TiledCopy
from flydsl.expr.tiles.tiled_mma import TiledMma
from flydsl.layout import Tile
from flydsl.layout.render import Picture, picture, picture_tv
from flydsl.layout.typst import HEADER, PAGE_BREAK, Colour, typst

__all__ = ["print_typst"]

Drawn = Layout | ComposedLayout | MmaAtom | TiledMma | TiledCopy


def print_typst(arg: Drawn, *, color: Colour | None = None, file: str | PathLike[str] | None = None) -> None:
    """Print a static layout of one or two modes, an MMA atom, a tiled MMA or a tiled copy as a document of Typst.

    With `file` the pictures are appended to that, each on a page of its own. `color(index)`, of atoms and tiled
    operations `color(thread, value)`, gives the colour of a cell as "#rrggbb". ValueError for anything else.
    """
    body = PAGE_BREAK.join(typst(shown, color) for shown in _pictures(arg))
    if file is None:
        print(HEADER + body)
        return
    path = Path(file)
    begun = path.exists() and path.stat().st_size > 0
    with path.open("a", encoding="utf-8") as output:
        output.write((PAGE_BREAK if begun else HEADER) + body)


def _pictures(arg: object) -> Iterator[Picture]:
    if isinstance(arg, Layout | ComposedLayout):
        rank = getattr(arg.payload.outer if isinstance(arg, ComposedLayout) else arg.payload, "rank", 1)
        if rank > 2:
            raise SettingError(f"print_typst draws layouts of one or two modes, found {arg!r}")
        yield picture(arg.payload)
    elif isinstance(arg, TiledCopy):
        tile = Tile(_extents(arg.tile_mn.payload))
        yield picture_tv(arg.layout_src_tv_tiled.payload, tile)
        yield picture_tv(arg.layout_dst_tv_tiled.payload, tile)
    elif isinstance(arg, MmaAtom | TiledMma):
        yield from _mma(arg)
    else:
        raise SettingError(f"print_typst draws layouts, MMA atoms, tiled MMAs and tiled copies, found {arg!r}")


def _mma(arg: MmaAtom | TiledMma) -> Iterator[Picture]:
    """Operands A, B and C: their modes are (M, K), (N, K) and (M, N)."""
    if isinstance(arg, MmaAtom):
        m, n, k = arg.shape_mnk
        layouts = arg.layout_A_tv, arg.layout_B_tv, arg.layout_C_tv
    else:
        m, n, k = arg.tile_size_mnk
        layouts = arg.tv_layout_A_tiled, arg.tv_layout_B_tiled, arg.tv_layout_C_tiled
    for tv, extents in zip(layouts, ((m, k), (n, k), (m, n)), strict=True):
        yield picture_tv(tv.payload, Tile(extents))


def _extents(tile: Tile) -> tuple[int, ...]:
    from flydsl.layout.tiled import tile_extents

    return tile_extents("print_typst", tile)  # type: ignore[return-value]
