"""Parser of the dialect's layout text: `parse` for any object, `parse_<kind>` and `parse_<kind>_at(text, pos)` for one
kind.

    int     := <integer> | ? | ?{i64} | ?{div=16} | ?{i64 div=8}        basis := int E<mode> [E<mode> ...]
    tuple   := int | * | basis | ( tuple , ... )                        layout := tuple : tuple
    swizzle := S<mask,base,shift> | CS<mask,row,[mode],col,[mode]>      tile := [ tuple-leaf | layout | tile '|' ... ]
    composed := inner o tuple o outer [o tuple o outer ...]     composes to the left; a composed outer is in brackets
The `_at` forms return the value and the position after it, so that the type parser of the IR can go on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from flydsl.base.errors import LayoutError
from flydsl.base.startup.pattern import pattern
from flydsl.layout.int_tuple import IntTuple
from flydsl.layout.layout import AnyLayout, ComposedLayout, Inner, Layout, Tile, TileMode
from flydsl.layout.leaf import MAX_DEPTH, STAR, Basis, Dyn, Leaf, is_in_range
from flydsl.layout.swizzle import CoordSwizzle, Swizzle

Parsed: TypeAlias = IntTuple | Layout | ComposedLayout | Swizzle | CoordSwizzle | Tile
T = TypeVar("T")

_BLANKS = r"\s*"
_INTEGER = r"\s*(-?[0-9]+)"
_DYNAMIC = r"\s*\?(?:\{\s*(?:i(32|64))?\s*(?:div\s*=\s*([0-9]+))?\s*\})?"
_PATH = r"((?:\s*E[0-9]+)+)"
_N, _NS = r"\s*([0-9]+)\s*", r"\s*\[([0-9\s,]*)\]\s*"
_SWIZZLE = rf"\s*S<{_N},{_N},{_N}>"
_COORD_SWIZZLE = rf"\s*CS<{_N},{_N},{_NS},{_N},{_NS}>"


def _fail(text: str, pos: int, wanted: str) -> LayoutError:
    rest = text[pos : pos + 12].partition("\n")[0]
    return LayoutError("parse", (text,), f"expected {wanted} at column {pos + 1}, found {rest!r}")


def _skip(text: str, pos: int) -> int:
    blanks = pattern(_BLANKS).match(text, pos)
    return blanks.end() if blanks else pos


def _peek(text: str, pos: int, token: str) -> bool:
    return text.startswith(token, _skip(text, pos))


def _expect(text: str, pos: int, token: str) -> int:
    pos = _skip(text, pos)
    if not text.startswith(token, pos):
        raise _fail(text, pos, repr(token))
    return pos + len(token)


def _integer(text: str, pos: int, digits: str) -> int:
    """The integer that `digits`, found at `pos`, spell."""
    if len(digits) > 20 or not is_in_range(int(digits)):
        raise _fail(text, pos, "an integer of at most 64 bits")
    return int(digits)


def _deeper(text: str, pos: int, depth: int) -> int:
    if depth >= MAX_DEPTH:
        raise _fail(text, pos, f"at most {MAX_DEPTH} levels of brackets")
    return depth + 1


def parse_int_tuple_at(text: str, pos: int = 0, depth: int = 0) -> tuple[IntTuple, int]:
    """An int tuple at `pos`, inside of `depth` brackets."""
    pos = _skip(text, pos)
    if not text.startswith("(", pos):
        return _leaf_at(text, pos)
    parts: list[IntTuple] = []
    depth = _deeper(text, pos, depth)
    pos += 1
    while True:
        part, pos = parse_int_tuple_at(text, pos, depth)
        parts.append(part)
        if not _peek(text, pos, ","):
            return tuple(parts), _expect(text, pos, ")")
        pos = _expect(text, pos, ",")


def _leaf_at(text: str, pos: int) -> tuple[Leaf, int]:
    if text.startswith("*", pos):
        return STAR, pos + 1
    value: int | Dyn
    if match := pattern(_INTEGER).match(text, pos):
        value = _integer(text, pos, match[1])
    elif match := pattern(_DYNAMIC).match(text, pos):
        value = Dyn(int(match[1] or 32), _integer(text, pos, match[2] or "1"))
    else:
        raise _fail(text, pos, "an integer, '?', '*' or '('")
    pos = match.end()
    if path := pattern(_PATH).match(text, pos):
        modes = "".join(path[1].split()).split("E")[1:]
        return Basis(value, tuple([_integer(text, pos, mode) for mode in modes])), path.end()
    return value, pos


def parse_basis_at(text: str, pos: int = 0) -> tuple[Basis, int]:
    """A basis leaf at `pos`."""
    value, end = _leaf_at(text, _skip(text, pos))
    if not isinstance(value, Basis):
        raise _fail(text, pos, "a basis leaf such as 1E0")
    return value, end


def parse_layout_at(text: str, pos: int = 0) -> tuple[Layout, int]:
    """A plain layout at `pos`."""
    shape, pos = parse_int_tuple_at(text, pos)
    stride, pos = parse_int_tuple_at(text, _expect(text, pos, ":"))
    return Layout(shape, stride), pos


def parse_swizzle_at(text: str, pos: int = 0) -> tuple[Swizzle, int]:
    """A swizzle at `pos`."""
    match = pattern(_SWIZZLE).match(text, pos)
    if not match:
        raise _fail(text, pos, "S<mask,base,shift>")
    mask, base, shift = (_integer(text, pos, number) for number in match.groups())
    return Swizzle(mask, base, shift), match.end()


def parse_coord_swizzle_at(text: str, pos: int = 0) -> tuple[CoordSwizzle, int]:
    """A coordinate swizzle at `pos`."""
    match = pattern(_COORD_SWIZZLE).match(text, pos)
    if not match:
        raise _fail(text, pos, "CS<mask,row,[mode],col,[mode]>")
    row, col = (
        tuple([_integer(text, pos, mode.strip()) for mode in group.split(",") if mode.strip()])
        for group in match.group(3, 5)
    )
    mask, base_row, base_col = (_integer(text, pos, number) for number in match.group(1, 2, 4))
    return CoordSwizzle(mask, base_row, row, base_col, col), match.end()


def _inner_at(text: str, pos: int, depth: int) -> tuple[Inner, int]:
    pos = _skip(text, pos)
    if text.startswith("S", pos):
        return parse_swizzle_at(text, pos)
    if text.startswith("CS", pos):
        return parse_coord_swizzle_at(text, pos)
    return _bracketed_at(text, pos, depth)


def _bracketed_at(text: str, pos: int, depth: int) -> tuple[AnyLayout, int]:
    if not _peek(text, pos, "["):
        return parse_layout_at(text, pos)
    value, pos = parse_any_layout_at(text, _expect(text, pos, "["), _deeper(text, pos, depth))
    return value, _expect(text, pos, "]")


def parse_any_layout_at(text: str, pos: int = 0, depth: int = 0) -> tuple[AnyLayout, int]:
    """A plain or a composed layout at `pos`, inside of `depth` brackets."""
    value, pos = _inner_at(text, pos, depth)
    while _peek(text, pos, "o"):
        offset, pos = parse_int_tuple_at(text, _expect(text, pos, "o"))
        outer, pos = _bracketed_at(text, _expect(text, pos, "o"), depth)
        value = ComposedLayout(value, offset, outer)
    if isinstance(value, (Swizzle, CoordSwizzle)):
        raise _fail(text, pos, "'o' after a swizzle")
    return value, pos


def parse_composed_layout_at(text: str, pos: int = 0) -> tuple[ComposedLayout, int]:
    """A composed layout at `pos`."""
    value, end = parse_any_layout_at(text, pos)
    if not isinstance(value, ComposedLayout):
        raise _fail(text, end, "'o' of a composed layout")
    return value, end


def parse_tile_at(text: str, pos: int = 0, depth: int = 0) -> tuple[Tile, int]:
    """A tile at `pos`, inside of `depth` brackets; a single entry without brackets is a tile of one mode."""
    if not _peek(text, pos, "["):
        mode, pos = _tile_mode_at(text, pos, depth)
        return Tile((mode,)), pos
    depth = _deeper(text, pos, depth)
    pos = _expect(text, pos, "[")
    modes: list[TileMode] = []
    while True:
        mode, pos = _tile_mode_at(text, pos, depth)
        modes.append(mode)
        if not _peek(text, pos, "|"):
            return Tile(tuple(modes)), _expect(text, pos, "]")
        pos = _expect(text, pos, "|")


def _tile_mode_at(text: str, pos: int, depth: int) -> tuple[TileMode, int]:
    if _peek(text, pos, "["):
        return parse_tile_at(text, pos, depth)
    value, end = parse_int_tuple_at(text, pos)
    if _peek(text, end, ":"):
        return parse_layout_at(text, pos)
    if isinstance(value, (tuple, Basis)):
        raise _fail(text, end, "':' (a tuple in a tile is the shape of a layout)")
    return value, end


def _whole(parser: Callable[[str, int], tuple[T, int]], text: str) -> T:
    if not isinstance(text, str):
        raise LayoutError("parse", (text,), f"text is needed, found {type(text).__name__}")
    value, end = parser(text, 0)
    if _skip(text, end) != len(text):
        raise _fail(text, end, "the end")
    return value


def parse_int_tuple(text: str) -> IntTuple:
    """`(4,(?,8))`, `(*,?)`, `?{i64 div=8}`, `1E0`, ..."""
    return _whole(parse_int_tuple_at, text)


def parse_basis(text: str) -> Basis:
    """`4E1`, `2E0E1`, ..."""
    return _whole(parse_basis_at, text)


def parse_layout(text: str) -> Layout:
    """`(4,8):(1,4)`, ..."""
    return _whole(parse_layout_at, text)


def parse_swizzle(text: str) -> Swizzle:
    """`S<3,4,3>`, ..."""
    return _whole(parse_swizzle_at, text)


def parse_coord_swizzle(text: str) -> CoordSwizzle:
    """`CS<3,0,[0],3,[1]>`, ..."""
    return _whole(parse_coord_swizzle_at, text)


def parse_composed_layout(text: str) -> ComposedLayout:
    """`S<3,4,3> o 0 o (8,8):(1,8)`, ..."""
    return _whole(parse_composed_layout_at, text)


def parse_any_layout(text: str) -> AnyLayout:
    """A plain or a composed layout."""
    return _whole(parse_any_layout_at, text)


def parse_tile(text: str) -> Tile:
    """`[8|64]`, `[32:1|4:1]`, `[*|8]`, ..."""
    return _whole(parse_tile_at, text)


def parse(text: str) -> Parsed:
    """Whichever of these the text spells; a bracket that is not part of a composed layout is a tile."""
    return _whole(_any_at, text)


def _any_at(text: str, pos: int) -> tuple[Parsed, int]:
    pos = _skip(text, pos)
    if text.startswith(("S", "CS"), pos):
        inner, end = _inner_at(text, pos, 0)
        return parse_composed_layout_at(text, pos) if _peek(text, end, "o") else (inner, end)
    if text.startswith("[", pos):
        return parse_any_layout_at(text, pos) if _peek(text, _closing(text, pos), "o") else parse_tile_at(text, pos)
    _, end = parse_int_tuple_at(text, pos)
    return parse_any_layout_at(text, pos) if _peek(text, end, ":") else parse_int_tuple_at(text, pos)


def _closing(text: str, pos: int) -> int:
    """The position after the bracket that closes the one at `pos`, or `pos` when none does."""
    depth = 0
    for end in range(pos, len(text)):
        depth += (text[end] == "[") - (text[end] == "]")
        if not depth:
            return end + 1
    return pos
