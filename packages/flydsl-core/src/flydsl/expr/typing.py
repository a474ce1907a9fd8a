"""The types of values (`fx.typing`): layouts, tensors, pointers, atoms, vectors, and their MLIR types."""

from __future__ import annotations

from flydsl.expr.gpu import Tuple3D
from flydsl.expr.layouts.int_tuple import Basis, E, IntTuple
from flydsl.expr.layouts.layout import ComposedLayout, Layout, Swizzle, Tile
from flydsl.expr.memory.address_space import is_generic_address_space, is_target_address_space
from flydsl.expr.memory.pointer import Pointer
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.numbers.reduction import ReductionOp
from flydsl.expr.numbers.type_names import T, Types
from flydsl.expr.numbers.vector import Vector, empty_like, full, full_like, ones_like, zeros_like
from flydsl.expr.numbers.vector_alias import VectorAlias
from flydsl.expr.numbers.vector_names import *  # noqa: F403
from flydsl.expr.numbers.vector_names import __all__ as _vector_types
from flydsl.expr.threads.compile_time import Constexpr
from flydsl.expr.threads.stream import Stream
from flydsl.expr.tiles.atoms import CopyAtom
from flydsl.expr.tiles.tiled_copy import TiledCopy
from flydsl.expr.tiles.tiled_mma import TiledMma
from flydsl.expr.values.ir_values import as_dsl_value, as_ir_value

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
