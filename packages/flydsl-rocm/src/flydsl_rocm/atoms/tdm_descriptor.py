"""The words of a descriptor of gfx1250's tensor moves, as values.

Dimension j of a descriptor is dimension rank - 1 - j of the tile: a descriptor begins with the innermost one. The
fields are those of LLVM's `amdgpu.make_dma_descriptor`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i32, i64
from xdsl.ir import SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.base.errors import IRError
from flydsl_rocm.atoms.tdm_types import MAX_RANK, Gfx1250TdmType

_T = TypeVar("_T")
_VALID = 1
_IMAGE = -(1 << 31)  # type 2 in the upper bits of the global address
_LOW = 0xFFFF
MAX_TILE = _LOW
"""The largest extent of a tile."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """What an instruction moves; `extents` count from the tile's first element, `strides` are of all but the innermost
    dimension, in elements. The outermost dimension comes first.
    """

    atom: Gfx1250TdmType
    element_bits: int
    base: SSAValue
    lds: SSAValue
    mask: SSAValue
    tile: tuple[int, ...]
    extents: Sequence[SSAValue]
    strides: Sequence[SSAValue]

    def groups(self, build: LLVMBuilder) -> tuple[SSAValue, ...]:
        """Two groups of registers for up to two dimensions, else four."""
        words = _Words(build)
        extents, tile = _padded(self.extents, words.zero), _padded(self.tile, 0)
        strides = [*reversed(self.strides)]
        groups = [self._addresses(words), self._first(words, extents, tile, strides)]
        if self.atom.rank > 2:
            groups += [_second(words, extents, tile, strides), _third(words, extents, tile, strides)]
        return tuple(groups)

    def _addresses(self, words: _Words) -> SSAValue:
        high = words.either(words.high(self.base), words.number(_IMAGE))
        return words.vector(words.number(_VALID), self.lds, words.low(self.base), high)

    def _first(self, words: _Words, extents: list[SSAValue], tile: list[int], strides: list[SSAValue]) -> SSAValue:
        zero, mask = words.zero, words.both(self.mask, words.number(_LOW))
        config = words.either(words.number(_signed(config_word(self.atom, self.element_bits))), mask)
        first = words.above(extents[0])
        second = words.either(words.below(extents[0]), words.above(extents[1]))
        third = words.either(words.below(extents[1]), words.number(_signed(tile[0] << 16)))
        fourth = words.number(_signed(tile[1] | tile[2] << 16))
        low, high, last = zero, zero, zero
        if strides:
            low, high = words.low(strides[0]), words.both(words.high(strides[0]), words.number(_LOW))
        if len(strides) > 1:
            high = words.either(high, words.above(words.low(strides[1])))
            last = words.either(words.below(words.low(strides[1])), words.above(words.high(strides[1])))
        return words.vector(config, first, second, third, fourth, low, high, last)


def config_word(atom: Gfx1250TdmType, element_bits: int) -> int:
    """The constant part of the first word of group 1.

    Raises IRError for padding that the word has no bits for.
    """
    size = (element_bits // 8).bit_length() - 1
    word = size << 16 | atom.barrier << 18 | atom.timeout << 21
    if not atom.pad_interval:
        return word
    (interval, odd), (amount, part) = (divmod(n * element_bits, 32) for n in (atom.pad_interval, atom.pad_amount))
    code = interval.bit_length() - 2
    if odd or part or interval & (interval - 1) or not 0 <= code <= 7 or not 1 <= amount <= 128:
        raise IRError(
            f"gfx1250 TDM: padding (interval={atom.pad_interval}, amount={atom.pad_amount} elements at "
            f"{element_bits}-bit) is not encodable: the interval is 2, 4, ... or 256 words of 32 bits, the amount 1 to "
            "128 words"
        )
    return word | 1 << 20 | code << 22 | (amount - 1) << 25


def _second(words: _Words, extents: list[SSAValue], tile: list[int], strides: list[SSAValue]) -> SSAValue:
    low, high = words.zero, words.zero
    if len(strides) > 2:
        low, high = words.low(strides[2]), words.both(words.high(strides[2]), words.number(_LOW))
    high = words.either(high, words.number(_signed(tile[3] << 16))) if tile[3] else high
    return words.vector(extents[2], extents[3], low, high)


def _third(words: _Words, extents: list[SSAValue], tile: list[int], strides: list[SSAValue]) -> SSAValue:
    zero = words.zero
    if len(strides) < MAX_RANK - 1:
        return words.vector(zero, zero, zero, zero)
    high = words.either(words.both(words.high(strides[3]), words.number(_LOW)), words.above(extents[4]))
    last = words.either(words.below(extents[4]), words.number(_signed(tile[4] << 16)))
    return words.vector(words.low(strides[3]), high, last, zero)


class _Words:
    """Words of 32 bits made of values."""

    def __init__(self, build: LLVMBuilder) -> None:
        self._build = build
        self.zero = self.number(0)

    def number(self, value: int) -> SSAValue:
        return self._build.constant(value)

    def both(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._build.bit_and(a, b)

    def either(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self._build.bit_or(a, b)

    def low(self, value: SSAValue) -> SSAValue:
        """The lower word of 64 bits."""
        return self._build.value(arith.TruncIOp, (value,), i32)

    def high(self, value: SSAValue) -> SSAValue:
        """The upper word of 64 bits."""
        return self.low(self._build.shift_right(value, self._build.constant(32, i64)))

    def above(self, word: SSAValue) -> SSAValue:
        """The lower half of a word as the upper half."""
        return self._build.value(arith.ShLIOp, (word, self.number(16)), i32)

    def below(self, word: SSAValue) -> SSAValue:
        """The upper half of a word as the lower half."""
        return self._build.shift_right(word, self.number(16))

    def vector(self, *words: SSAValue) -> SSAValue:
        return self._build.raw("vector.from_elements", words, (VectorType(i32, [len(words)]),)).results[0]


def _padded(outermost_first: Sequence[_T], missing: _T) -> list[_T]:
    return [*reversed(outermost_first), *[missing] * (MAX_RANK - len(outermost_first))]


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word
