"""`flydsl layout EXPR`: a layout's picture in the terminal or as an SVG file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from flydsl.base.errors import LayoutError, SettingError
from flydsl.layout import Layout, parse, parse_tile
from flydsl.layout.layout import ComposedLayout
from flydsl.layout.render import Picture, picture, picture_tv, svg, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw the layout; 0. LayoutError for text that is no layout, or that has no picture."""
    options = _parser().parse_args(arguments)
    shown = _picture(options.expression, options.tile, options.bits)
    if options.svg is None:
        print(table(shown))
    else:
        try:
            options.svg.write_text(svg(shown), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise SettingError(f"--svg: cannot write {str(options.svg)!r}: {error}") from None
        print(f"wrote {options.svg}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="flydsl layout", description="Draw a layout: the index at every coordinate.")
    examples = "such as '((4,2),8):((1,32),4)' or 'S<3,3,3> o 0 o (8,64):(64,1)'"
    parser.add_argument("expression", metavar="EXPR", help=examples)
    parser.add_argument("--tile", help="EXPR is a thread-value layout of this tile, such as '[8|64]'")
    parser.add_argument("--bits", type=int, default=32, help="width of an element, for the banks of a swizzled layout")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture instead of printing a table")
    return parser


def _picture(expression: str, tile: str | None, bits: int) -> Picture:
    layout = parse(expression)
    if tile is None and isinstance(layout, (Layout, ComposedLayout)):
        return picture(layout, bits)
    if tile is not None and isinstance(layout, Layout):
        return picture_tv(layout, parse_tile(tile))
    raise LayoutError(
        "layout", (expression,), "this is no layout" if tile is None else "this is no thread-value layout"
    )
