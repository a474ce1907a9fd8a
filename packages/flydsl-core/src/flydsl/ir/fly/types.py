"""The types of the Fly dialect, with payloads of `flydsl.layout`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import ClassVar, Self

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import VerifyException

import flydsl.layout as fl
from flydsl.ir.fly.atom_access import CopyAtomAccess, MmaAtomAccess, TiledCopyAccess, TiledMmaAccess
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType, UniversalAtomicType, UniversalCopyType, UniversalFMAType
from flydsl.ir.fly.attributes import AddressSpace, AddressSpaceAttr
from flydsl.ir.fly.base import FlyType, text_of
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.ir.fly.payload_types import (
    BasisType,
    ComposedLayoutType,
    CoordSwizzleType,
    IntTupleType,
    LayoutType,
    PayloadType,
    SwizzleType,
    TileType,
    payload_type,
)
from flydsl.ir.fly.place_access import CoordTensorAccess, MemRefAccess, PointerAccess
from flydsl.ir.fly.reader import Reader
from flydsl.layout.int_tuple import text as tuple_text

__all__ = [
    "BasisType",
    "ComposedLayoutType",
    "CoordSwizzleType",
    "CoordTensorType",
    "CopyAtomType",
    "IntTupleType",
    "LayoutType",
    "MemRefType",
    "MmaAtomType",
    "PayloadType",
    "PointerType",
    "SwizzleType",
    "TileType",
    "TiledCopyType",
    "TiledMmaType",
    "UniversalAtomicType",
    "UniversalCopyType",
    "UniversalFMAType",
    "is_static",
    "payload_type",
]

_SPACES = {space.value: AddressSpaceAttr(space) for space in AddressSpace}


@dataclass(frozen=True, eq=False, repr=False)
class PointerType(PointerAccess, FlyType):
    """`!fly.ptr<f16, shared, align<16>, S<3,3,3>>`: an address of elements.

    `align` is in bytes (0 means the element's own). The swizzle permutes the bits of the *byte* address at each access.
    """

    name: ClassVar[str] = "fly.ptr"
    element: Attribute
    space: Attribute
    align: int = 0
    swizzle: fl.Swizzle | None = None

    def __post_init__(self) -> None:
        _default_align(self)

    def verify(self) -> None:
        _check_align(self.element, self.align)

    def body(self) -> str:
        return f"{text_of(self.element)}, {_space_text(self.space)}{_suffix_text(self)}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        element, space = _read_element_and_space(reader)
        return cls(element, space, *_read_suffix(reader))

    @property
    def divisibility(self) -> int:
        """What the address is a multiple of, in elements."""
        return max(1, self.align * 8 // element_bits(self.element))

    def with_offset(self, divisibility: int) -> PointerType:
        """The pointer moved by an offset in elements that `divisibility` divides (0: by nothing)."""
        offset_bytes = divisibility * element_bits(self.element) // 8
        align = max(gcd(self.align, offset_bytes), element_bytes(self.element))
        return self if align == self.align else replace(self, align=align)


@dataclass(frozen=True, eq=False, repr=False)
class MemRefType(MemRefAccess, FlyType):
    """`!fly.memref<f32, global, (8,64):(?{i64},1)>`: a tensor, that is a pointer and a (composed) layout."""

    name: ClassVar[str] = "fly.memref"
    element: Attribute
    space: Attribute
    layout: fl.Layout | fl.ComposedLayout
    align: int = 0
    swizzle: fl.Swizzle | None = None

    def __post_init__(self) -> None:
        _default_align(self)

    def verify(self) -> None:
        _check_align(self.element, self.align)

    def body(self) -> str:
        return f"{text_of(self.element)}, {_space_text(self.space)}, {self.layout}{_suffix_text(self)}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        element, space = _read_element_and_space(reader)
        reader.expect(",")
        layout = reader.payload(fl.parse_any_layout_at)
        return cls(element, space, layout, *_read_suffix(reader))

    @property
    def pointer(self) -> PointerType:
        """The type of the tensor's iterator."""
        return PointerType(self.element, self.space, self.align, self.swizzle)


@dataclass(frozen=True, eq=False, repr=False)
class CoordTensorType(CoordTensorAccess, FlyType):
    """`!fly.coord_tensor<(0,0), (?,?):(1E0,1E1)>`: a tensor of coordinates, without storage."""

    name: ClassVar[str] = "fly.coord_tensor"
    base: fl.IntTuple
    layout: fl.Layout | fl.ComposedLayout

    def body(self) -> str:
        return f"{tuple_text(self.base)}, {self.layout}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        base = reader.payload(fl.parse_int_tuple_at)
        reader.expect(",")
        return cls(base, reader.payload(fl.parse_any_layout_at))


@dataclass(frozen=True, eq=False, repr=False)
class CopyAtomType(CopyAtomAccess, FlyType):
    """`!fly.copy_atom<!fly.universal_copy<128>, 32>`: a copy operation on values of `val_bits` bits."""

    name: ClassVar[str] = "fly.copy_atom"
    op: CopyOpType
    val_bits: int

    def verify(self) -> None:
        _check_kind(self.op, CopyOpType, "a copy operation")
        if self.val_bits <= 0:
            raise VerifyException(f"the value width of a copy atom is positive, found {self.val_bits!r}")

    def body(self) -> str:
        return f"{text_of(self.op)}, {self.val_bits}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        op = reader.attribute()
        reader.expect(",")
        return cls(op, reader.integer("the value width in bits"))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class MmaAtomType(MmaAtomAccess, FlyType):
    """`!fly.mma_atom<!fly.universal_fma<1x1x1, (f32, f32) -> f32>>`: a matrix multiply-add operation."""

    name: ClassVar[str] = "fly.mma_atom"
    op: MmaOpType

    def verify(self) -> None:
        _check_kind(self.op, MmaOpType, "an MMA operation")

    def body(self) -> str:
        return text_of(self.op)

    @classmethod
    def read(cls, reader: Reader) -> Self:
        return cls(reader.attribute())  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class TiledCopyType(TiledCopyAccess, FlyType):
    """`!fly.tiled_copy<atom, !fly.layout<TV>, !fly.tile<MN>>`: an atom repeated over a tile."""

    name: ClassVar[str] = "fly.tiled_copy"
    atom: CopyAtomType
    layout_tv: LayoutType
    tile: TileType

    def verify(self) -> None:
        _check_kind(self.atom, CopyAtomType, "a copy atom")
        _check_kind(self.layout_tv, LayoutType, "a layout")
        _check_kind(self.tile, TileType, "a tile")

    def body(self) -> str:
        return f"{self.atom.text}, {self.layout_tv.text}, {self.tile.text}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = reader.attribute()
        reader.expect(",")
        layout_tv = reader.attribute()
        reader.expect(",")
        return cls(atom, layout_tv, reader.attribute())  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, repr=False)
class TiledMmaType(TiledMmaAccess, FlyType):
    """`!fly.tiled_mma<atom, !fly.layout<MNK>[, !fly.tile<perm>]>`: an atom repeated over M, N, K by threads."""

    name: ClassVar[str] = "fly.tiled_mma"
    atom: MmaAtomType
    atom_layout: LayoutType
    perm: TileType | None = None

    def verify(self) -> None:
        _check_kind(self.atom, MmaAtomType, "an MMA atom")
        _check_kind(self.atom_layout, LayoutType, "a layout")
        if self.perm is not None:
            _check_kind(self.perm, TileType, "a tile")

    def body(self) -> str:
        perm = f", {self.perm.text}" if self.perm else ""
        return f"{self.atom.text}, {self.atom_layout.text}{perm}"

    @classmethod
    def read(cls, reader: Reader) -> Self:
        atom = reader.attribute()
        reader.expect(",")
        atom_layout = reader.attribute()
        perm = reader.attribute() if reader.accept(",") else None
        return cls(atom, atom_layout, perm)  # type: ignore[arg-type]


def is_static(type_: Attribute) -> bool:
    """True when everything about a value is in its type. Pointers and tensors of memory never are."""
    if isinstance(type_, IntTupleType | BasisType):
        return fl.is_static(type_.value)
    if isinstance(type_, PayloadType):
        return bool(getattr(type_.value, "is_static", True))
    if isinstance(type_, CoordTensorType):
        return fl.is_static(type_.base) and type_.layout.is_static
    if isinstance(type_, TiledCopyType | TiledMmaType):
        return is_static(type_.atom)
    if isinstance(type_, CopyAtomType | MmaAtomType):
        return not type_.op.fields
    return False


def _default_align(type_: PointerType | MemRefType) -> None:
    if not isinstance(type_.element, TypeAttribute | VectorType):
        raise VerifyException(f"an element must be a type, found {type_.element}")
    if type_.align == 0:
        object.__setattr__(type_, "align", element_bytes(type_.element))
    type_.verify()


def _check_align(element: Attribute, align: int) -> None:
    if align <= 0 or align % element_bytes(element):
        raise VerifyException(f"align<{align}> is not a multiple of the {element_bytes(element)} bytes of {element}")


def _check_kind(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise VerifyException(f"expected {what}, found {value}")


def _space_text(space: Attribute) -> str:
    return space.data.value if isinstance(space, AddressSpaceAttr) else text_of(space)


def _suffix_text(type_: PointerType | MemRefType) -> str:
    align = "" if type_.align == element_bytes(type_.element) else f", align<{type_.align}>"
    return align if type_.swizzle is None else f"{align}, {type_.swizzle}"


def _read_element_and_space(reader: Reader) -> tuple[Attribute, Attribute]:
    element = reader.attribute()
    reader.expect(",")
    if reader.accept("#"):
        reader.position -= 1
        return element, reader.attribute()
    word = reader.word("an address space")
    if word not in _SPACES:
        known = ", ".join(_SPACES)
        reader.error(f"unknown address space {word!r}: choose from {known} or a target's attribute", reader.token)
    return element, _SPACES[word]


def _read_suffix(reader: Reader) -> tuple[int, fl.Swizzle | None]:
    align, swizzle = 0, None
    while reader.accept(","):
        if align == 0 and swizzle is None and reader.accept("align<"):
            align = reader.integer("an alignment in bytes")
            reader.expect(">")
            if align <= 0:
                reader.error(f"an alignment is positive, found {align}", reader.token)
        elif swizzle is None:
            swizzle = reader.payload(fl.parse_swizzle_at)
        else:
            reader.error("unexpected parameter after the swizzle")
    return align, swizzle
