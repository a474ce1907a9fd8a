"""The base of per-thread slices of tiled copies and MMAs."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar

from flydsl.base.errors import MissingThreadsWarning
from flydsl.base.location import user_location
from flydsl.expr.tracing.context import current, is_tracing

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntTupleLike
    from flydsl.layout.leaf import Leaf


class ThreadSlice:
    """A tree of two leaves, the tiled atom and the thread index, which branches and kernel arguments carry."""

    __slots__ = ()
    _whole: ClassVar[Any]
    """The class of the tiled atom that this is a slice of."""

    @property
    def thr_idx(self) -> IntTupleLike:
        """The index of the thread."""
        return self._thr_idx  # type: ignore[attr-defined, no-any-return]

    def __fly_leaves__(self) -> tuple[Any, ...]:
        """The tiled atom of all threads, and the thread index."""
        return self._whole(self), self.thr_idx

    def __fly_rebuild__(self, leaves: tuple[Any, ...]) -> Any:
        """The slice rebuilt from other leaves."""
        return type(self)(*leaves)


def warn_of_missing_threads(what: str, threads: Leaf, thr_idx: IntTupleLike) -> None:
    """Say that the blocks are smaller than what they execute, where the slice is that of `fx.thread_idx.x` itself.

    Other numbers may be right in smaller blocks: a loop may go over the threads' parts.
    """
    block = current().block_size if is_tracing() else None
    if block is None or not isinstance(threads, int) or block[0] >= threads or not _is_thread_index(thr_idx):
        return
    caller = user_location()
    warnings.warn_explicit(
        f"{what} of {threads} threads is executed by blocks of {block[0]} threads along x: the parts of threads "
        f"{block[0]} to {threads - 1} are left out; launch it with block=({threads}, 1, 1)",
        MissingThreadsWarning,
        caller.file if caller is not None else __file__,
        caller.line if caller is not None else 1,
    )


def _is_thread_index(value: IntTupleLike) -> bool:
    """Whether this is gpu.thread_id of x, also after a conversion of its type."""
    op = getattr(getattr(value, "value", None), "owner", None)
    while op is not None and op.name in ("arith.index_cast", "arith.index_castui", "arith.extui", "arith.trunci"):
        op = getattr(op.operands[0], "owner", None)
    return op is not None and op.name == "gpu.thread_id" and str(op.properties["dimension"].data) == "x"
