"""The words of the language (`import flydsl.expr as fx`); words of a target come from its installed plugin."""

from __future__ import annotations

from typing import Any

from flydsl.expr import gpu, math
from flydsl.expr.algebra import *
from flydsl.expr.atoms import *
from flydsl.expr.control import Constexpr, const_expr, range_constexpr
from flydsl.expr.copy import copy, copy_atom_call, gemm, mma_atom_call
from flydsl.expr.gpu import barrier, block_dim, block_idx, grid_dim, thread_idx
from flydsl.expr.int_tuple import (
    E,
    IntTuple,
    get_leaves,
    get_scalar,
    make_coord,
    make_int_tuple,
    make_shape,
    make_stride,
)
from flydsl.expr.layout import ComposedLayout, Layout, Swizzle, SwizzleType, Tile, make_layout, make_tile
from flydsl.expr.math import *
from flydsl.expr.numeric import *
from flydsl.expr.pointer import Pointer, add_offset, get_iter, ptr_load, ptr_store
from flydsl.expr.stream import Stream
from flydsl.expr.tensor import (
    Tensor,
    make_fragment_like,
    make_rmem_tensor,
    make_view,
    memref_load,
    memref_load_vec,
    memref_store,
    memref_store_vec,
)
from flydsl.expr.tiled import *
from flydsl.expr.vector import ReductionOp, Vector, full


def __getattr__(name: str) -> Any:
    """A target's words, such as `fx.<target>`: loaded from the plugin that declares them."""
    from flydsl.plugins.selection import expr_namespace

    namespace = expr_namespace(name)
    if namespace is None:
        raise AttributeError(f"module 'flydsl.expr' has no name {name!r}, and no installed backend brings it")
    return namespace
