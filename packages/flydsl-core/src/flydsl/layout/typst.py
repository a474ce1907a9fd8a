"""Pictures of layouts as Typst, which typesets them for documents: `typst compile pictures.typ`."""

from __future__ import annotations

import colorsys
import re
from collections.abc import Callable

from flydsl.layout.render import Picture

HEADER = '#set page(width: auto, height: auto, margin: 4mm)\n#set text(font: "DejaVu Sans Mono", size: 8pt)\n'
"""What a document begins with."""
PAGE_BREAK = "#pagebreak()\n"
_HOLDER = re.compile(r"T(\d+) V(\d+)")

Colour = Callable[..., str]
"""`colour(index)` for a layout, `colour(thread, value)` for a thread-value layout: "#rrggbb"."""


def typst(shown: Picture, colour: Colour | None = None) -> str:
    """The picture as one table with its title, to stand behind HEADER."""
    columns = len(shown.cells[0])
    head = ", ".join(["[]", *(f'"{column}"' for column in range(columns))])
    lines = [f"  {head},"]
    for number, row in enumerate(shown.cells):
        cells = [f'table.cell(fill: rgb("{_fill(shown, *cell, colour)}"), {_string(cell[0])})' for cell in row]
        lines.append(f'  "{number}", {", ".join(cells)},')
    title = f"#strong({_string(shown.title)})\n"
    return f"{title}#table(columns: {columns + 1}, align: center,\n" + "\n".join(lines) + "\n)\n"


def _fill(shown: Picture, label: str, number: int, colour: Colour | None) -> str:
    if number < 0:
        return "#ffffff"
    if colour is None:
        channels = colorsys.hls_to_rgb(number % shown.colours / shown.colours, 0.82, 0.7)
        return "#" + "".join(f"{round(255 * channel):02x}" for channel in channels)
    holder = _HOLDER.match(label)
    return colour(number) if holder is None else colour(*map(int, holder.groups()))


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
