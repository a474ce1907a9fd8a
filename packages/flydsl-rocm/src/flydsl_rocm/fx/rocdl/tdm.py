"""gfx1250's moves of tensors: an atom that copies a whole tile between global and shared memory."""

from __future__ import annotations

from flydsl.base.errors import FrontendError
from flydsl.expr.memory.tensor import Tensor
from flydsl.expr.tiles.atoms import CopyAtom, make_copy_atom

from .chips import GFX1250
from .dialect_op import DialectOp

__all__ = ["make_tdm_atom"]


def make_tdm_atom(
    rank: int | Tensor,
    num_warps: int = 1,
    pad_interval: int = 0,
    pad_amount: int = 0,
    *,
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
    """
    dims = len(rank.shape) if isinstance(rank, Tensor) else rank
    numbers = {"rank": dims, "num_warps": num_warps, "pad_interval": pad_interval, "pad_amount": pad_amount}
    numbers["cache_modifier"] = cache_modifier
    for name, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise FrontendError(f"{name} of fx.rocdl.make_tdm_atom is an integer known while tracing, found {number!r}")
    parameters = (*numbers.values(), bool(atomic_barrier), bool(early_timeout))
    return make_copy_atom(DialectOp("make_tdm_atom", GFX1250, "tdm_types:Gfx1250TdmType", parameters), 0)
