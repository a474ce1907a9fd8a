"""The Fly dialect as a backend meets it: operations that the Fly passes leave, types, address spaces, locations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.namespace import lazy_names
from flydsl.ir.fly import (
    AddOffsetOp,
    ApplySwizzleOp,
    AtomSetValueOp,
    CopyAtomCallOp,
    CopyAtomCallSsaOp,
    GetCopyAtomOp,
    GetDynSharedOp,
    GetLayoutOp,
    GetMmaAtomOp,
    GetOp,
    GetScalarOp,
    GetShapeOp,
    GetStrideOp,
    InttoptrOp,
    IntTupleSubOp,
    MakeCopyAtomOp,
    MakeIntTupleOp,
    MakeLayoutOp,
    MakeMmaAtomOp,
    MakePtrOp,
    MakeTiledCopyOp,
    MakeTiledMmaOp,
    MakeViewOp,
    MmaAtomCallOp,
    MmaAtomCallSsaOp,
    PtrLoadOp,
    PtrStoreOp,
    PtrtointOp,
    RecastIterOp,
    StaticOp,
    ToLlvmPtrOp,
)
from flydsl.ir.fly.attributes import (
    GENERIC,
    GLOBAL,
    REGISTER,
    SHARED,
    AddressSpace,
    AddressSpaceAttr,
    AtomicOp,
    AtomicOpAttr,
)
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.ir.fly.types import (
    CopyAtomType,
    IntTupleType,
    LayoutType,
    MemRefType,
    MmaAtomType,
    PointerType,
    TiledCopyType,
    TiledMmaType,
)
from flydsl.ir.location import get_location, located_error
from flydsl.ir.loop_annotations import annotation_of
from flydsl.ir.upstream import GPUFuncOp, StructType

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.ir.tensor_map import EncodeTensorMapOp

__all__ = [
    "GENERIC",
    "GLOBAL",
    "REGISTER",
    "SHARED",
    "AddOffsetOp",
    "AddressSpace",
    "AddressSpaceAttr",
    "ApplySwizzleOp",
    "AtomSetValueOp",
    "AtomicOp",
    "AtomicOpAttr",
    "CopyAtomCallOp",
    "CopyAtomCallSsaOp",
    "CopyAtomType",
    "EncodeTensorMapOp",
    "GPUFuncOp",
    "GetCopyAtomOp",
    "GetDynSharedOp",
    "GetLayoutOp",
    "GetMmaAtomOp",
    "GetOp",
    "GetScalarOp",
    "GetShapeOp",
    "GetStrideOp",
    "IntTupleSubOp",
    "IntTupleType",
    "InttoptrOp",
    "LayoutType",
    "MakeCopyAtomOp",
    "MakeIntTupleOp",
    "MakeLayoutOp",
    "MakeMmaAtomOp",
    "MakePtrOp",
    "MakeTiledCopyOp",
    "MakeTiledMmaOp",
    "MakeViewOp",
    "MemRefType",
    "MmaAtomCallOp",
    "MmaAtomCallSsaOp",
    "MmaAtomType",
    "PointerType",
    "PtrLoadOp",
    "PtrStoreOp",
    "PtrtointOp",
    "RecastIterOp",
    "StaticOp",
    "StructType",
    "TiledCopyType",
    "TiledMmaType",
    "ToLlvmPtrOp",
    "annotation_of",
    "element_bits",
    "element_bytes",
    "get_location",
    "located_error",
]

__getattr__ = lazy_names(
    __name__,
    {
        "EncodeTensorMapOp": "flydsl.ir.tensor_map",
    },
)
