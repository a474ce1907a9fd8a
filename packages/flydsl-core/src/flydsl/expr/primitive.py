"""The operations of the language (`fx.primitive`): what layouts, tensors, pointers and atoms are made of and do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.expr.layouts.algebra import (
    blocked_product,
    ceil_div,
    coalesce,
    complement,
    composition,
    flat_divide,
    flat_product,
    int_tuple_add,
    int_tuple_div,
    int_tuple_mod,
    int_tuple_mul,
    int_tuple_product,
    int_tuple_product_each,
    int_tuple_product_like,
    int_tuple_sub,
    left_inverse,
    logical_divide,
    logical_product,
    raked_product,
    recast_layout,
    right_inverse,
    shape_div,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from flydsl.expr.layouts.constructors import (
    make_composed_layout,
    make_fragment_layout_like,
    make_identity_layout,
    make_layout_like,
    make_ordered_layout,
    static,
)
from flydsl.expr.layouts.int_tuple import get_leaves, get_scalar, make_coord, make_int_tuple, make_shape, make_stride
from flydsl.expr.layouts.layout import make_layout, make_tile
from flydsl.expr.layouts.layout_parts import composed_get_inner, composed_get_offset, composed_get_outer
from flydsl.expr.layouts.modes import (
    append,
    coprofile,
    coshape,
    cosize,
    crd2idx,
    depth,
    dice,
    elem_less,
    equal,
    get_,
    get_1d_coord,
    get_flat_coord,
    get_layout,
    get_shape,
    get_stride,
    group,
    has_none,
    idx2crd,
    prepend,
    rank,
    select,
    size,
    slice,
    take,
)
from flydsl.expr.memory.address_space import AddressSpace
from flydsl.expr.memory.pointer import (
    add_offset,
    apply_swizzle,
    assume,
    get_iter,
    inttoptr,
    make_ptr,
    ptr_load,
    ptr_store,
    ptrtoint,
    recast_iter,
    to_llvm_ptr,
)
from flydsl.expr.memory.shared import get_dyn_shared
from flydsl.expr.memory.tensor import (
    make_fragment_like,
    make_view,
    memref_alloca,
    memref_load,
    memref_load_vec,
    memref_store,
    memref_store_vec,
)
from flydsl.expr.targets.ir_types import ir_type_class
from flydsl.expr.threads.compile_time import const_expr, range_constexpr
from flydsl.expr.threads.printf import printf
from flydsl.expr.tiles.atomic_copies import (
    CopyOpUniversalAtomicType,
    UniversalAtomic,
    UniversalAtomicAdd,
    UniversalAtomicAnd,
    UniversalAtomicDec,
    UniversalAtomicInc,
    UniversalAtomicMax,
    UniversalAtomicMin,
    UniversalAtomicOr,
)
from flydsl.expr.tiles.atoms import (
    UniversalCopy,
    UniversalCopy8b,
    UniversalCopy16b,
    UniversalCopy32b,
    UniversalCopy64b,
    UniversalCopy128b,
    UniversalFMA,
    atom_set_value,
    make_copy_atom,
    make_mma_atom,
)
from flydsl.expr.tiles.copy_and_gemm import copy, copy_atom_call, gemm, mma_atom_call
from flydsl.expr.tiles.enums import AtomicOp, CachePolicy, GemmTraversalOrder, MmaOperand
from flydsl.expr.tiles.tiled_copy import (
    make_tiled_copy,
    tiled_copy_partition_dst,
    tiled_copy_partition_src,
    tiled_copy_retile,
)
from flydsl.expr.tiles.tiled_mma import (
    make_tiled_mma,
    mma_make_fragment,
    tiled_mma_partition,
    tiled_mma_partition_shape,
)

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
    "AddressSpace",
    "AtomicOp",
    "BasisType",
    "CachePolicy",
    "ComposedLayoutType",
    "CoordSwizzleType",
    "CoordTensorType",
    "CopyAtomType",
    "CopyOpUniversalAtomicType",
    "CopyOpUniversalCopyType",
    "GemmTraversalOrder",
    "IntTupleType",
    "LayoutType",
    "MemRefType",
    "MmaAtomType",
    "MmaOpUniversalFMAType",
    "MmaOperand",
    "PointerType",
    "SwizzleType",
    "TileType",
    "TiledCopyType",
    "TiledMmaType",
    "UniversalAtomic",
    "UniversalAtomicAdd",
    "UniversalAtomicAnd",
    "UniversalAtomicDec",
    "UniversalAtomicInc",
    "UniversalAtomicMax",
    "UniversalAtomicMin",
    "UniversalAtomicOr",
    "UniversalCopy",
    "UniversalCopy8b",
    "UniversalCopy16b",
    "UniversalCopy32b",
    "UniversalCopy64b",
    "UniversalCopy128b",
    "UniversalFMA",
    "add_offset",
    "append",
    "apply_swizzle",
    "assume",
    "atom_set_value",
    "blocked_product",
    "ceil_div",
    "coalesce",
    "complement",
    "composed_get_inner",
    "composed_get_offset",
    "composed_get_outer",
    "composition",
    "const_expr",
    "coprofile",
    "copy",
    "copy_atom_call",
    "coshape",
    "cosize",
    "crd2idx",
    "depth",
    "dice",
    "elem_less",
    "equal",
    "flat_divide",
    "flat_product",
    "gemm",
    "get_",
    "get_1d_coord",
    "get_dyn_shared",
    "get_flat_coord",
    "get_iter",
    "get_layout",
    "get_leaves",
    "get_scalar",
    "get_shape",
    "get_stride",
    "group",
    "has_none",
    "idx2crd",
    "int_tuple_add",
    "int_tuple_div",
    "int_tuple_mod",
    "int_tuple_mul",
    "int_tuple_product",
    "int_tuple_product_each",
    "int_tuple_product_like",
    "int_tuple_sub",
    "inttoptr",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_composed_layout",
    "make_coord",
    "make_copy_atom",
    "make_fragment_layout_like",
    "make_fragment_like",
    "make_identity_layout",
    "make_int_tuple",
    "make_layout",
    "make_layout_like",
    "make_mma_atom",
    "make_ordered_layout",
    "make_ptr",
    "make_shape",
    "make_stride",
    "make_tile",
    "make_tiled_copy",
    "make_tiled_mma",
    "make_view",
    "memref_alloca",
    "memref_load",
    "memref_load_vec",
    "memref_store",
    "memref_store_vec",
    "mma_atom_call",
    "mma_make_fragment",
    "prepend",
    "printf",
    "ptr_load",
    "ptr_store",
    "ptrtoint",
    "raked_product",
    "range_constexpr",
    "rank",
    "recast_iter",
    "recast_layout",
    "right_inverse",
    "select",
    "shape_div",
    "size",
    "slice",
    "static",
    "take",
    "tile_to_shape",
    "tiled_copy_partition_dst",
    "tiled_copy_partition_src",
    "tiled_copy_retile",
    "tiled_divide",
    "tiled_mma_partition",
    "tiled_mma_partition_shape",
    "tiled_product",
    "to_llvm_ptr",
    "zipped_divide",
    "zipped_product",
]


def __getattr__(name: str) -> Any:
    """The classes of IR types, such as `PointerType`; they load the dialect."""
    return ir_type_class(name)
