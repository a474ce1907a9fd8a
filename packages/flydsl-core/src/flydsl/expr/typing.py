"""The types of values (`fx.typing`): layouts, tensors, pointers, atoms, vectors, and their MLIR types."""

from typing import Any as _Any

from flydsl.base.other_versions import other_name as _other_name
from flydsl.expr.gpu import Tuple3D as Tuple3D
from flydsl.expr.layouts.int_tuple import Basis as Basis
from flydsl.expr.layouts.int_tuple import E as E
from flydsl.expr.layouts.int_tuple import IntTuple as IntTuple
from flydsl.expr.layouts.layout import ComposedLayout as ComposedLayout
from flydsl.expr.layouts.layout import Layout as Layout
from flydsl.expr.layouts.layout import Swizzle as Swizzle
from flydsl.expr.layouts.layout import Tile as Tile
from flydsl.expr.memory.address_space import AddressSpace as AddressSpace
from flydsl.expr.memory.address_space import is_generic_address_space as is_generic_address_space
from flydsl.expr.memory.address_space import is_target_address_space as is_target_address_space
from flydsl.expr.memory.pointer import Pointer as Pointer
from flydsl.expr.memory.tensor import Tensor as Tensor
from flydsl.expr.numbers.reduction import ReductionOp as ReductionOp
from flydsl.expr.numbers.type_names import T as T
from flydsl.expr.numbers.type_names import Types as Types
from flydsl.expr.numbers.vector import Vector as Vector
from flydsl.expr.numbers.vector import empty_like as empty_like
from flydsl.expr.numbers.vector import full as full
from flydsl.expr.numbers.vector import full_like as full_like
from flydsl.expr.numbers.vector import ones_like as ones_like
from flydsl.expr.numbers.vector import zeros_like as zeros_like
from flydsl.expr.numbers.vector_alias import VectorAlias as VectorAlias
from flydsl.expr.numbers.vector_names import *  # noqa: F403
from flydsl.expr.numeric import *  # noqa: F403
from flydsl.expr.targets.ir_types import IR_TYPES as _IR_TYPES
from flydsl.expr.targets.ir_types import ir_type_class as _ir_type_class
from flydsl.expr.threads.compile_time import Constexpr as Constexpr
from flydsl.expr.threads.stream import Stream as Stream
from flydsl.expr.tiles.atoms import CopyAtom as CopyAtom
from flydsl.expr.tiles.tiled_copy import TiledCopy as TiledCopy
from flydsl.expr.tiles.tiled_mma import TiledMma as TiledMma
from flydsl.expr.values.ir_values import as_dsl_value as as_dsl_value
from flydsl.expr.values.ir_values import as_ir_value as as_ir_value
from flydsl.expr.values.operand_types import CoordLike as CoordLike
from flydsl.expr.values.operand_types import IntLike as IntLike
from flydsl.expr.values.operand_types import IntTupleLike as IntTupleLike
from flydsl.expr.values.operand_types import LayoutLike as LayoutLike
from flydsl.expr.values.operand_types import ScalarLike as ScalarLike
from flydsl.expr.values.operand_types import ShapeLike as ShapeLike
from flydsl.expr.values.operand_types import StorableType as StorableType
from flydsl.expr.values.operand_types import StrideLike as StrideLike
from flydsl.expr.values.operand_types import TilerLike as TilerLike
from flydsl.expr.values.operand_types import VectorLike as VectorLike


def __getattr__(name: str) -> _Any:
    """The class of an MLIR type, such as `PointerType`, or a name of other versions."""
    return _ir_type_class(name) if name in _IR_TYPES else _other_name(__name__, name)
