"""The types of values (`fx.typing`): layouts, tensors, pointers, atoms, vectors, and their MLIR types."""

from __future__ import annotations

from flydsl.expr.address import is_generic_address_space, is_target_address_space
from flydsl.expr.atoms import CopyAtom
from flydsl.expr.boxed import as_dsl_value, as_ir_value
from flydsl.expr.control import Constexpr
from flydsl.expr.gpu import Tuple3D
from flydsl.expr.int_tuple import Basis, E, IntTuple
from flydsl.expr.layout import ComposedLayout, Layout, Swizzle, Tile
from flydsl.expr.pointer import Pointer
from flydsl.expr.reduction import ReductionOp
from flydsl.expr.stream import Stream
from flydsl.expr.tensor import Tensor
from flydsl.expr.tiled import TiledCopy
from flydsl.expr.tiled_mma import TiledMma
from flydsl.expr.types import T, Types
from flydsl.expr.vector import Vector, empty_like, full, full_like, ones_like, zeros_like
from flydsl.expr.vector_alias import VectorAlias
from flydsl.expr.vector_types import *  # noqa: F403
from flydsl.expr.vector_types import __all__ as _vector_types

__all__ = [
    "Basis",
    "ComposedLayout",
    "Constexpr",
    "CopyAtom",
    "E",
    "IntTuple",
    "Layout",
    "Pointer",
    "ReductionOp",
    "Stream",
    "Swizzle",
    "T",
    "Tensor",
    "Tile",
    "TiledCopy",
    "TiledMma",
    "Tuple3D",
    "Types",
    "Vector",
    "VectorAlias",
    "as_dsl_value",
    "as_ir_value",
    "empty_like",
    "full",
    "full_like",
    "is_generic_address_space",
    "is_target_address_space",
    "ones_like",
    "zeros_like",
    *_vector_types,
]
