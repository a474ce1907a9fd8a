"""Loads that transpose: threads read rows of a tile and receive columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from xdsl.utils.exceptions import VerifyException

from flydsl.backend.atoms import CopyOpType, Reader
from flydsl.layout import Layout


class _TransposedLoad(CopyOpType):
    """Parameters: the width of an element, and the bits that a thread reads and receives."""

    forms: ClassVar[tuple[tuple[int, int], ...]] = ()
    granularity: int
    bits: int

    @property
    def ref_tv_bits(self) -> Layout:
        """What threads receive: a tiled copy is made for the fragments of a product, and says where these are read."""
        return self.dst_tv_bits

    def verify(self) -> None:
        if (self.granularity, self.bits) not in self.forms:
            forms = ", ".join(f"({width}b, {bits})" for width, bits in self.forms)
            name = self.name.rpartition(".")[2]
            raise VerifyException(f"{name} is {forms}, found ({self.granularity}b, {self.bits})")

    def body(self) -> str:
        return f"trans = {self.granularity}b, {self.bits}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        for text in ("trans", "="):
            reader.expect(text)
        granularity = reader.integer("the element width")
        for text in ("b", ","):
            reader.expect(text)
        return cls(granularity, reader.integer("the number of bits"))


@dataclass(frozen=True, eq=False, repr=False)
class LdsReadTransType(_TransposedLoad):
    """`!fly_rocdl.cdna4.lds_read_trans<trans = 16b, 64>`: 16 threads read rows of LDS and receive columns."""

    name: ClassVar[str] = "fly_rocdl.cdna4.lds_read_trans"
    forms: ClassVar[tuple[tuple[int, int], ...]] = ((4, 64), (8, 64), (16, 64), (6, 96))
    granularity: int
    bits: int

    @property
    def thr_layout(self) -> Layout:
        return Layout(16, 1)

    @property
    def src_tv_bits(self) -> Layout:
        return Layout((16, self.bits), (self.bits, 1))

    @property
    def dst_tv_bits(self) -> Layout:
        """Thread t receives element t of every 16: runs of `granularity` bits, one row of 16 elements apart."""
        width, count = self.granularity, self.bits // self.granularity
        return Layout((16, (width, count)), (width, (1, 16 * width)))


_Threads = tuple[tuple[int, ...], tuple[int, ...]]
_READ_BY: dict[int, _Threads] = {
    16: ((8, 2, 2), (16, 8, 128)),
    8: ((4, 2, 4), (16, 8, 64)),
    6: ((4, 2, 4), (32, 16, 128)),
    4: ((8, 2, 2), (32, 16, 256)),
}
"""By the width of an element: extents and strides of the threads of a wave of 32, in elements of a tile of 16 rows.

A row has 16 columns, of 4 and 6 bits 32. The layouts rest on what `docs/explanation/simulator.md` names.
"""
_RECEIVED_BY: dict[int, _Threads] = {width: ((16, 2), (1, 128 if width >= 8 else 16)) for width in _READ_BY}


class _WaveTransposedLoad(_TransposedLoad):
    """Of a wave of 32 threads, with a tile of 16 rows."""

    forms: ClassVar[tuple[tuple[int, int], ...]] = ((4, 64), (8, 64), (16, 128), (6, 96))

    @property
    def thr_layout(self) -> Layout:
        return Layout(32, 1)

    @property
    def src_tv_bits(self) -> Layout:
        extents, steps = _READ_BY[self.granularity]
        return Layout((extents, self.bits), (self._in_bits(steps), 1))

    @property
    def dst_tv_bits(self) -> Layout:
        """Each thread receives elements of one column."""
        width, row = self.granularity, 16 if self.granularity >= 8 else 32
        extents, steps = _RECEIVED_BY[width]
        return Layout((extents, (width, self.bits // width)), (self._in_bits(steps), (1, width * row)))

    def _in_bits(self, steps: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.granularity * step for step in steps)


@dataclass(frozen=True, eq=False, repr=False)
class Gfx1250LdsLoadTransType(_WaveTransposedLoad):
    """`!fly_rocdl.gfx1250.lds_load_trans<trans = 16b, 128>`: from LDS."""

    name: ClassVar[str] = "fly_rocdl.gfx1250.lds_load_trans"
    granularity: int
    bits: int


@dataclass(frozen=True, eq=False, repr=False)
class Gfx12GlobalLoadTransType(_WaveTransposedLoad):
    """`!fly_rocdl.gfx12.global_load_trans<trans = 16b, 128>`: from global memory."""

    name: ClassVar[str] = "fly_rocdl.gfx12.global_load_trans"
    granularity: int
    bits: int
