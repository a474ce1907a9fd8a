"""The operations of the language (`fx.primitive`) on layouts, tensors, pointers and atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.expr.layouts import algebra, constructors, int_tuple, layout, modes
from flydsl.expr.layouts.algebra import *  # noqa: F403
from flydsl.expr.layouts.constructors import *  # noqa: F403
from flydsl.expr.layouts.int_tuple import *  # noqa: F403
from flydsl.expr.layouts.layout import *  # noqa: F403
from flydsl.expr.layouts.modes import *  # noqa: F403
from flydsl.expr.memory import address_space, pointer, shared, tensor
from flydsl.expr.memory.address_space import *  # noqa: F403
from flydsl.expr.memory.pointer import *  # noqa: F403
from flydsl.expr.memory.shared import *  # noqa: F403
from flydsl.expr.memory.tensor import *  # noqa: F403
from flydsl.expr.targets.ir_types import ir_type_class
from flydsl.expr.threads import compile_time
from flydsl.expr.threads.compile_time import *  # noqa: F403
from flydsl.expr.threads.printf import printf
from flydsl.expr.tiles import atomic_copies, atoms, copy_and_gemm, enums, tiled_copy, tiled_mma
from flydsl.expr.tiles.atomic_copies import *  # noqa: F403
from flydsl.expr.tiles.atoms import *  # noqa: F403
from flydsl.expr.tiles.copy_and_gemm import *  # noqa: F403
from flydsl.expr.tiles.enums import *  # noqa: F403
from flydsl.expr.tiles.tiled_copy import *  # noqa: F403
from flydsl.expr.tiles.tiled_mma import *  # noqa: F403

if TYPE_CHECKING:
    from flydsl.ir.fly.types import BasisType as BasisType
    from flydsl.ir.fly.types import ComposedLayoutType as ComposedLayoutType
    from flydsl.ir.fly.types import CoordSwizzleType as CoordSwizzleType
    from flydsl.ir.fly.types import CoordTensorType as CoordTensorType
    from flydsl.ir.fly.types import CopyAtomType as CopyAtomType
    from flydsl.ir.fly.types import IntTupleType as IntTupleType
    from flydsl.ir.fly.types import LayoutType as LayoutType
    from flydsl.ir.fly.types import MemRefType as MemRefType
    from flydsl.ir.fly.types import MmaAtomType as MmaAtomType
    from flydsl.ir.fly.types import PointerType as PointerType
    from flydsl.ir.fly.types import SwizzleType as SwizzleType
    from flydsl.ir.fly.types import TiledCopyType as TiledCopyType
    from flydsl.ir.fly.types import TiledMmaType as TiledMmaType
    from flydsl.ir.fly.types import TileType as TileType
    from flydsl.ir.fly.types import UniversalCopyType as CopyOpUniversalCopyType
    from flydsl.ir.fly.types import UniversalFMAType as MmaOpUniversalFMAType

__all__ = [
    "BasisType",
    "ComposedLayoutType",
    "CoordSwizzleType",
    "CoordTensorType",
    "CopyAtomType",
    "CopyOpUniversalCopyType",
    "IntTupleType",
    "LayoutType",
    "MemRefType",
    "MmaAtomType",
    "MmaOpUniversalFMAType",
    "PointerType",
    "SwizzleType",
    "TileType",
    "TiledCopyType",
    "TiledMmaType",
    "printf",
]
__all__ += algebra.__all__
__all__ += constructors.__all__
__all__ += int_tuple.__all__
__all__ += layout.__all__
__all__ += modes.__all__
__all__ += address_space.__all__
__all__ += pointer.__all__
__all__ += shared.__all__
__all__ += tensor.__all__
__all__ += compile_time.__all__
__all__ += atomic_copies.__all__
__all__ += atoms.__all__
__all__ += copy_and_gemm.__all__
__all__ += enums.__all__
__all__ += tiled_copy.__all__
__all__ += tiled_mma.__all__


def __getattr__(name: str) -> Any:
    """The classes of IR types, such as `PointerType`; they load the dialect."""
    return ir_type_class(name)
