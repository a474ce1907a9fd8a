"""Types of tiled copies and tiled MMAs: atoms repeated over a tile by many threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeVar

from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.base import FlyType
from flydsl.ir.fly.reader import Reader
from flydsl.ir.fly.types.atoms import CopyAtomType, MmaAtomType
from flydsl.ir.fly.types.int_tuple import IntTupleType
from flydsl.ir.fly.types.layout import LayoutType, TileType
from flydsl.ir.fly.types.payload import PayloadType
from flydsl.layout.tiled import tiled_copy_tv
from flydsl.layout.tiled_mma import MmaTV, tiled_mma_thr_layout, tiled_mma_tile_size, tiled_mma_tv

T = TypeVar("T")
P = TypeVar("P", bound=PayloadType)


@dataclass(frozen=True, eq=False, repr=False)
class TiledCopyType(FlyType):
    """`!fly.tiled_copy<atom, !fly.layout<TV>, !fly.tile<MN>>`: an atom repeated over a tile."""

    name: ClassVar[str] = "fly.tiled_copy"
    atom: CopyAtomType
    layout_tv: LayoutType
    tile: TileType

    def verify(self) -> None:
        _checked(self.atom, CopyAtomType, "a copy atom")
        _checked(self.layout_tv, LayoutType, "a layout")
        _checked(self.tile, TileType, "a tile")

    def body(self) -> str:
        return f"{self.atom.text}, {self.layout_tv.text}, {self.tile.text}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = _checked(reader.attribute(), CopyAtomType, "a copy atom")
        layout_tv = _part(reader, LayoutType, "a layout")
        return cls(atom, layout_tv, _part(reader, TileType, "a tile"))

    @property
    def copy_atom(self) -> CopyAtomType:
        """The type of the atom."""
        return self.atom

    @property
    def layout_thr_val(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile."""
        return self.layout_tv

    @property
    def tile_mn(self) -> TileType:
        """The type of the tile that all threads copy together."""
        return self.tile

    @property
    def tiled_tv_layout_src(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile, as the source is read."""
        return self._seen_from("src")

    @property
    def tiled_tv_layout_dst(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile, as the destination is written."""
        return self._seen_from("dst")

    def _seen_from(self, which: Literal["src", "dst"]) -> LayoutType:
        return LayoutType(tiled_copy_tv(self.atom.tv, self.layout_tv.value, which))

    @property
    def is_static(self) -> bool:
        return self.atom.is_static


@dataclass(frozen=True, eq=False, repr=False)
class TiledMmaType(FlyType):
    """`!fly.tiled_mma<atom, !fly.layout<MNK>[, !fly.tile<perm>]>`: an atom repeated over M, N, K by threads."""

    name: ClassVar[str] = "fly.tiled_mma"
    atom: MmaAtomType
    atom_layout: LayoutType
    perm: TileType | None = None

    def verify(self) -> None:
        _checked(self.atom, MmaAtomType, "an MMA atom")
        _checked(self.atom_layout, LayoutType, "a layout")
        if self.perm is not None:
            _checked(self.perm, TileType, "a tile")

    def body(self) -> str:
        perm = f", {self.perm.text}" if self.perm else ""
        return f"{self.atom.text}, {self.atom_layout.text}{perm}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = _checked(reader.attribute(), MmaAtomType, "an MMA atom")
        atom_layout = _part(reader, LayoutType, "a layout")
        perm = _part(reader, TileType, "a tile") if reader.comes(",") else None
        return cls(atom, atom_layout, None if perm is None or _permutes_nothing(perm) else perm)

    @property
    def mma_atom(self) -> MmaAtomType:
        """The type of the atom."""
        return self.atom

    @property
    def permutation(self) -> TileType | None:
        """The type of the permutation of M, N and K, None when there is none."""
        return self.perm

    @property
    def tile_size_mnk(self) -> IntTupleType:
        """The type of the extents (M, N, K) that all threads multiply in one step."""
        return IntTupleType(tuple(tiled_mma_tile_size(*self._arrangement())))

    @property
    def thr_layout_vmnk(self) -> LayoutType:
        """The type of (thread of an atom, atom along M, N, K) -> thread number."""
        return LayoutType(tiled_mma_thr_layout(*self._arrangement()[:2]))

    @property
    def tiled_tv_layout_a(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of A."""
        return self._tv("a")

    @property
    def tiled_tv_layout_b(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of B."""
        return self._tv("b")

    @property
    def tiled_tv_layout_c(self) -> LayoutType:
        """The type of (thread, value) -> position in the tile of C and D."""
        return self._tv("c")

    def _tv(self, operand: Literal["a", "b", "c"]) -> LayoutType:
        return LayoutType(tiled_mma_tv(*self._arrangement(), operand))

    def _arrangement(self) -> tuple[MmaTV, fl.Layout, fl.Tile | None]:
        return self.atom.tv, self.atom_layout.value, None if self.perm is None else self.perm.value

    @property
    def is_static(self) -> bool:
        return self.atom.is_static


def _permutes_nothing(perm: TileType) -> bool:
    return all(mode is fl.STAR for mode in perm.value.modes)


def _part(reader: Reader, kind: type[P], what: str) -> P:
    """The next parameter: a type, or what stands between its angle brackets."""
    reader.expect(",")
    if not reader.accept("<"):
        return _checked(reader.attribute(), kind, what)
    part = kind.read(reader)
    reader.expect(">")
    return part


def _checked(value: object, kind: type[T], what: str) -> T:
    if not isinstance(value, kind):
        raise VerifyException(f"expected {what}, found {value}")
    return value
