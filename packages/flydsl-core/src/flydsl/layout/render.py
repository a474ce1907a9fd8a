"""Pictures of static layouts: text tables and SVG, also of thread-value layouts and of the banks of a swizzle.

Rows are mode 0, columns all other modes, column-major. A thread-value picture shows the tile and in every cell the
thread and the value that hold it. Under a swizzle the bank of shared memory is shown too (32 banks of 4 bytes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from flydsl.base.errors import LayoutError
from flydsl.layout.int_tuple import IntTuple, product, text
from flydsl.layout.layout import AnyLayout, ComposedLayout, Layout, Tile
from flydsl.layout.swizzle import Swizzle
from flydsl.layout.tiled import tile_extents

MAX_CELLS = 1 << 14
"""Larger layouts are refused: nobody could read them."""

_BANKS, _BANK_BITS = 32, 32
_WIDTH, _HEIGHT, _MARGIN = 9, 26, 40

_Cell: TypeAlias = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """Rows of cells, each a label and the number that its colour stands for, out of `colours`."""

    title: str
    cells: tuple[tuple[_Cell, ...], ...]
    colours: int


def picture(layout: AnyLayout, element_bits: int = 32) -> Picture:
    """The index at every coordinate; for a swizzled layout of elements of `element_bits`, also its bank (`12 b3`)."""
    rows, columns = _extents(layout)
    if type(element_bits) is not int or element_bits < 1:
        raise LayoutError("render", (layout, element_bits), "the element width is an integer > 0")
    swizzled = isinstance(layout, ComposedLayout) and isinstance(layout.inner, Swizzle)
    label = _banked(element_bits) if swizzled else _plain

    def cell(row: int, column: int) -> tuple[str, int]:
        return label(layout(row + rows * column))

    return Picture(str(layout), _grid(rows, columns, cell), _BANKS if swizzled else 8)


def picture_tv(tv: Layout, tile: Tile) -> Picture:
    """Who holds each cell of a tile of one or two modes: `T5 V2`, with `+3` where three more threads or values do."""
    rows, columns = (*tile_extents("render", tile), 1)[:2]
    threads, values = _extents(tv)
    if type(rows) is not int or type(columns) is not int or tile.rank > 2 or rows * columns > MAX_CELLS:
        raise LayoutError(
            "render", (tv, tile), f"the tile must have one or two static modes, {MAX_CELLS} cells at most"
        )
    holders: dict[IntTuple, list[tuple[int, int]]] = {}
    for value in range(values):
        for thread in range(threads):
            holders.setdefault(tv(thread + threads * value), []).append((thread, value))

    def cell(row: int, column: int) -> tuple[str, int]:
        owners = sorted(holders.get(row + rows * column, []))
        if not owners:
            return "-", -1
        thread, value = owners[0]
        return f"T{thread} V{value}" + (f" +{len(owners) - 1}" if len(owners) > 1 else ""), thread

    return Picture(f"{tv} in {tile}", _grid(rows, columns, cell), threads)


def table(shown: Picture) -> str:
    """The picture as text, with row and column numbers."""
    columns = len(shown.cells[0])
    width = max(len(str(columns - 1)), *(len(label) for row in shown.cells for label, _ in row))
    edge = len(str(len(shown.cells) - 1))
    head = _line(" " * edge, map(str, range(columns)), width)
    body = [_line(f"{row:>{edge}}", (label for label, _ in line), width) for row, line in enumerate(shown.cells)]
    return "\n".join([shown.title, head, "-" * len(head), *body])


def svg(shown: Picture) -> str:
    """The picture as a stand-alone SVG document."""
    longest = max(len(label) for row in shown.cells for label, _ in row)
    width = max(32, longest * _WIDTH + 8)
    rows, columns = len(shown.cells), len(shown.cells[0])
    parts = [f'<text x="4" y="16" font-weight="bold">{escape(shown.title)}</text>']
    parts += [_text(_MARGIN + (c + 0.5) * width, _MARGIN - 8, str(c), "#888") for c in range(columns)]
    for r, row in enumerate(shown.cells):
        parts.append(_text(_MARGIN / 2, _MARGIN + (r + 0.7) * _HEIGHT, str(r), "#888"))
        for c, (label, number) in enumerate(row):
            x, y = _MARGIN + c * width, _MARGIN + r * _HEIGHT
            fill = _colour(number, shown.colours)
            parts.append(f'<rect x="{x}" y="{y}" width="{width}" height="{_HEIGHT}" fill="{fill}" stroke="#555"/>')
            parts.append(_text(x + width / 2, y + 0.7 * _HEIGHT, label, "#000"))
    size = max(_MARGIN + columns * width, len(shown.title) * _WIDTH) + 8, _MARGIN + rows * _HEIGHT + 8
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="monospace"'
    return "\n".join([f'{head} font-size="13">', *parts, "</svg>", ""])


def _extents(layout: AnyLayout) -> tuple[int, int]:
    """The extents of mode 0 and of all other modes together."""
    if not isinstance(layout, (Layout, ComposedLayout)):
        raise LayoutError("render", (layout,), f"a layout is needed, found {type(layout).__name__}")
    whole = product(layout.shape)
    rows = product(layout.shape[0] if isinstance(layout.shape, tuple) else layout.shape)
    if not layout.is_static or type(whole) is not int or type(rows) is not int:
        raise LayoutError("render", (layout,), "only static layouts have a picture")
    if not 0 < whole <= MAX_CELLS:
        raise LayoutError("render", (layout,), f"a picture has 1 to {MAX_CELLS} cells, found {whole}")
    return rows, whole // rows


def _grid(rows: int, columns: int, cell: Callable[[int, int], _Cell]) -> tuple[tuple[_Cell, ...], ...]:
    return tuple([tuple([cell(row, column) for column in range(columns)]) for row in range(rows)])


def _plain(index: IntTuple) -> tuple[str, int]:
    return text(index), index if isinstance(index, int) else -1


def _banked(element_bits: int) -> Callable[[IntTuple], tuple[str, int]]:
    def label(index: IntTuple) -> tuple[str, int]:
        if not isinstance(index, int):
            return _plain(index)
        bank = index * element_bits // _BANK_BITS % _BANKS
        return f"{index} b{bank}", bank

    return label


def _line(edge: str, labels: Iterable[str], width: int) -> str:
    return f"{edge} | " + "  ".join(f"{label:>{width}}" for label in labels)


def _text(x: float, y: float, content: str, colour: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="middle">{escape(content)}</text>'


def _colour(number: int, colours: int) -> str:
    """Hues go round once over all colours; what stands for no number is white."""
    return "#fff" if number < 0 else f"hsl({number % colours * 360 // colours},70%,82%)"
