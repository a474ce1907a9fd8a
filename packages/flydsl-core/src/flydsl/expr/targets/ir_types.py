"""The dialect's classes by the names of IR types (`fx.PointerType`), loaded at first use."""

from __future__ import annotations

from typing import Any

IR_TYPES: dict[str, str] = {
    **{
        name: name
        for name in (
            *("BasisType", "ComposedLayoutType", "CoordSwizzleType", "CoordTensorType", "CopyAtomType", "IntTupleType"),
            *("LayoutType", "MemRefType", "MmaAtomType", "PointerType", "SwizzleType", "TileType", "TiledCopyType"),
            "TiledMmaType",
        )
    },
    "CopyOpUniversalCopyType": "UniversalCopyType",
    "MmaOpUniversalFMAType": "UniversalFMAType",
}
"""The public name of a type, and the name of its class in `flydsl.ir.fly.types`."""


def ir_type_class(name: str) -> Any:
    """The class behind a name of `IR_TYPES`; AttributeError for any other name."""
    if name not in IR_TYPES:
        raise AttributeError(f"no IR type is called {name!r}")
    from flydsl.ir.fly import types

    return getattr(types, IR_TYPES[name])
