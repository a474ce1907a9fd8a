"""Swizzles, functions that permute: `Swizzle` linear indexes, `CoordSwizzle` the leaves of a coordinate."""

from __future__ import annotations

from dataclasses import dataclass

from flydsl.base.errors import LayoutError
from flydsl.layout import leaf
from flydsl.layout.int_tuple import IntTuple
from flydsl.layout.leaf import MAX_DEPTH, MAX_MODES, Leaf


@dataclass(frozen=True, slots=True)
class Swizzle:
    """`S<mask,base,shift>`: v -> v ^ ((v & (((1 << mask) - 1) << (base + shift))) >> shift)."""

    mask: int
    base: int
    shift: int

    def __post_init__(self) -> None:
        numbers = (self.mask, self.base, self.shift)
        if not all(type(value) is int and value >= 0 for value in numbers):
            raise LayoutError("swizzle", numbers, "mask, base and shift are integers >= 0")
        if self.shift < self.mask:
            raise LayoutError("swizzle", numbers, "shift must not be less than mask")
        if sum(numbers) > 64:
            raise LayoutError("swizzle", numbers, "the bits that are moved must be among the lowest 64")

    def __call__(self, index: Leaf) -> Leaf:
        return leaf.swizzle(index, self)

    def __str__(self) -> str:
        return f"S<{self.mask},{self.base},{self.shift}>"


@dataclass(frozen=True, slots=True)
class CoordSwizzle:
    """`CS<mask,baseRow,[modeRow],baseCol,[modeCol]>`: col ^= ((row >> baseRow) & ((1 << mask) - 1)) << baseCol.

    `CS<0,0,[],0,[]>`, without modes, leaves every coordinate as it is.
    """

    mask: int
    base_row: int
    mode_row: tuple[int, ...]
    base_col: int
    mode_col: tuple[int, ...]

    def __post_init__(self) -> None:
        numbers = (self.mask, self.base_row, self.base_col)
        if not all(type(value) is int and value >= 0 for value in numbers):
            raise LayoutError("coord_swizzle", numbers, "mask and bases are integers >= 0")
        if self.is_trivial:
            return
        for path in (self.mode_row, self.mode_col):
            if type(path) is not tuple or not path or not all(type(mode) is int and mode >= 0 for mode in path):
                raise LayoutError("coord_swizzle", (path,), "a mode is a non-empty tuple of mode numbers")
            if len(path) > MAX_DEPTH or max(path) >= MAX_MODES:
                condition = f"a mode is a path of at most {MAX_DEPTH} numbers below {MAX_MODES}"
                raise LayoutError("coord_swizzle", (path,), condition)
        if self.mask + max(self.base_row, self.base_col) > 64:
            raise LayoutError("coord_swizzle", numbers, "the bits that are moved must be among the lowest 64")
        if self.mode_row == self.mode_col:
            raise LayoutError("coord_swizzle", (self.mode_row,), "row and column must be different modes")

    @property
    def is_trivial(self) -> bool:
        """Whether it has no modes, and so changes nothing."""
        return self.mask == 0 and self.mode_row == self.mode_col == ()

    def __call__(self, coord: IntTuple) -> IntTuple:
        if self.is_trivial:
            return coord
        row, col = _at(coord, self.mode_row), _at(coord, self.mode_col)
        bits = leaf.mod(leaf.div(row, 1 << self.base_row), 1 << self.mask)
        return _replaced(coord, self.mode_col, leaf.xor(col, leaf.mul(bits, 1 << self.base_col)))

    def __str__(self) -> str:
        row, col = (f"[{', '.join(map(str, path))}]" for path in (self.mode_row, self.mode_col))
        return f"CS<{self.mask},{self.base_row},{row},{self.base_col},{col}>"


def _at(coord: IntTuple, path: tuple[int, ...]) -> Leaf:
    entry = coord
    for mode in path:
        if not isinstance(entry, tuple) or mode >= len(entry):
            raise LayoutError("coord_swizzle", (coord, path), "the coordinate has no such mode")
        entry = entry[mode]
    if isinstance(entry, tuple):
        raise LayoutError("coord_swizzle", (coord, path), "the mode must be a leaf of the coordinate")
    return entry


def _replaced(coord: IntTuple, path: tuple[int, ...], value: Leaf) -> IntTuple:
    if not path:
        return value
    assert isinstance(coord, tuple)
    mode = path[0]
    return (*coord[:mode], _replaced(coord[mode], path[1:], value), *coord[mode + 1 :])
