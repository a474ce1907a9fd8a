"""The types of the Fly dialect, with payloads of `flydsl.layout`."""

from __future__ import annotations

from xdsl.ir import Attribute

from flydsl.ir.fly.atoms import UniversalAtomicType, UniversalCopyType, UniversalFMAType
from flydsl.ir.fly.base import FlyType
from flydsl.ir.fly.types.atoms import CopyAtomType, MmaAtomType
from flydsl.ir.fly.types.int_tuple import BasisType, IntTupleType
from flydsl.ir.fly.types.layout import (
    ComposedLayoutType,
    CoordSwizzleType,
    LayoutType,
    SwizzleType,
    TileType,
    payload_type,
)
from flydsl.ir.fly.types.memory import CoordTensorType, MemRefType, PointerType
from flydsl.ir.fly.types.payload import PayloadType
from flydsl.ir.fly.types.tiled import TiledCopyType, TiledMmaType

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


def is_static(type_: Attribute) -> bool:
    """True when everything about a value is in its type, which no type of another dialect says of itself."""
    return isinstance(type_, FlyType) and type_.is_static
