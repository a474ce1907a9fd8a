"""gfx1250's moves of tensors: an atom that copies a whole tile between global and shared memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr import CopyAtom, Tensor, as_int_tuple, as_numeric, make_copy_atom
from flydsl_rocm.features import Feature

from .chips import require
from .dialect_op import DialectOp
from .emit import create

if TYPE_CHECKING:
    from flydsl.backend.language import CoordLike

__all__ = ["make_tdm_atom", "make_tiled_tdm_load_atom", "make_tiled_tdm_store_atom"]


def make_tdm_atom(
    rank: int | Tensor,
    extents: int | Sequence[Any] | None = None,
    pad_interval: int = 0,
    pad_amount: int = 0,
    *,
    num_warps: int | None = None,
    strides: Sequence[Any] | None = None,
    cache_modifier: int = 0,
    atomic_barrier: bool = False,
    early_timeout: bool = False,
) -> CopyAtom:
    """An atom for `fx.copy(atom, tile, shared)` and `fx.copy(atom, shared, tile)`; wait with `tdm_ops.tensor_wait`.

    `tile` is a tensor in global memory with the outermost dimension first and contiguous elements in the last; each
    wave that comes to the copy moves it, or its share of it when `num_warps` waves divide it. `rank` is the number of
    its dimensions (1 to 5), or a tensor that has as many. A load leaves out `pad_amount` elements behind each
    `pad_interval` in shared memory. State, set by `fx.copy(..., extent_0=...)` or `set_value`: `extent_0` to
    `extent_4`, elements from the tile's first one to the end of the tensor (beyond it loads give 0 and stores do
    nothing), `stride_0` to `stride_3` in elements in place of the tile's, `imm_offset` in bytes, `workgroup_mask`.

    `extents` and `strides` set that state at once, of the outermost dimension first; one of None stays as it is, and
    the last stride, if it is given, is 1. An int in place of `extents` is `num_warps`.
    """
    dims = len(rank.shape) if isinstance(rank, Tensor) else rank
    if isinstance(extents, int):
        if num_warps is not None:
            raise FrontendError(f"fx.rocdl.make_tdm_atom has num_warps twice, {extents} and {num_warps}")
        extents, num_warps = None, extents
    num_warps = 1 if num_warps is None else num_warps
    numbers = {"rank": dims, "num_warps": num_warps, "pad_interval": pad_interval, "pad_amount": pad_amount}
    numbers["cache_modifier"] = cache_modifier
    atom = make_copy_atom(_operation("make_tdm_atom", numbers, atomic_barrier, early_timeout), 0)
    return atom.set_value({**_state("extent", extents, dims, dims), **_state("stride", strides, dims, dims - 1)})


def _state(field: str, given: Sequence[Any] | None, rank: int, count: int) -> dict[str, Any]:
    """The first `count` of a tile's extents or strides by the names of their state."""
    if given is None:
        return {}
    numbers = list(given)
    if len(numbers) not in (rank, count):
        raise FrontendError(f"fx.rocdl.make_tdm_atom takes {rank} {field}s, found {len(numbers)}: {given!r}")
    last = as_numeric(numbers[count] or 1) if len(numbers) > count else as_numeric(1)
    if not last.is_static or last.value != 1:
        raise FrontendError(f"the elements of the last dimension of a tile are contiguous, found stride {last!r}")
    return {f"{field}_{index}": number for index, number in enumerate(numbers[:count]) if number is not None}


def make_tiled_tdm_load_atom(
    tensor: Tensor,
    first: CoordLike,
    num_warps: int = 1,
    *,
    boundary_check: Sequence[int] | None = None,
    pad_interval: int = 0,
    pad_amount: int = 0,
    cache_modifier: int = 0,
) -> CopyAtom:
    """An atom that loads tiles of `tensor`, as `make_tdm_atom` does, with the tensor's strides and bounds in its state.

    `first` is the coordinate in `tensor` of the tile's first element. In the modes of the tensor that `boundary_check`
    lists, all by default, what the tile has beyond the tensor reads as 0. The first or the last mode of the tensor is
    contiguous; the tile to copy has the modes in the order that `make_tdm_atom` wants, the contiguous one last.
    """
    padding = {"pad_interval": pad_interval, "pad_amount": pad_amount}
    return _tiled_atom("load", tensor, first, num_warps, boundary_check, padding, cache_modifier)


def make_tiled_tdm_store_atom(
    tensor: Tensor,
    first: CoordLike,
    num_warps: int = 1,
    *,
    boundary_check: Sequence[int] | None = None,
    cache_modifier: int = 0,
) -> CopyAtom:
    """An atom that stores tiles to `tensor`; what lies beyond it is not stored. See `make_tiled_tdm_load_atom`."""
    padding = {"pad_interval": 0, "pad_amount": 0}
    return _tiled_atom("store", tensor, first, num_warps, boundary_check, padding, cache_modifier)


def _tiled_atom(
    direction: str,
    tensor: Tensor,
    first: CoordLike,
    num_warps: int,
    boundary_check: Sequence[int] | None,
    padding: Mapping[str, int],
    cache_modifier: int,
) -> CopyAtom:
    from xdsl.utils.exceptions import VerifyException

    from flydsl.backend.dialect import integer_array
    from flydsl.backend.ir import CopyAtomType
    from flydsl_rocm.tdm_operations import MakeTiledTdmLoadAtomOp, MakeTiledTdmStoreAtomOp

    name = f"make_tiled_tdm_{direction}_atom"
    if not isinstance(tensor, Tensor):
        raise FrontendError(f"fx.rocdl.{name} needs a tensor in global memory, found {tensor!r}")
    rank = len(tensor.shape)
    numbers = {"rank": rank, "num_warps": num_warps, **padding, "cache_modifier": cache_modifier}
    type_ = CopyAtomType(_operation(name, numbers).ir_type(), 0)
    require(name, Feature.TENSOR_MOVES)
    modes = range(rank) if boundary_check is None else boundary_check
    op_class = MakeTiledTdmLoadAtomOp if direction == "load" else MakeTiledTdmStoreAtomOp
    operands = [tensor.ir_value(), as_int_tuple(first).ir_value()]
    made = create(op_class, operands, [type_], {"boundary_check": integer_array(*modes)})
    try:
        made.owner.verify_types()
    except VerifyException as error:
        raise FrontendError(f"fx.rocdl.{name}: {error}") from None
    return CopyAtom(type_, made)


def _operation(name: str, numbers: Mapping[str, int], *flags: bool) -> DialectOp:
    for parameter, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise FrontendError(f"{parameter} of fx.rocdl.{name} is an integer known while tracing, found {number!r}")
    return DialectOp(name, Feature.TENSOR_MOVES, "tdm_types:Gfx1250TdmType", (*numbers.values(), *map(bool, flags)))
