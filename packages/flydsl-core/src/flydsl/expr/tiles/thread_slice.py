"""The base of per-thread slices of tiled copies and MMAs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntTupleLike


class ThreadSlice:
    """A tree of two leaves, the tiled atom and the thread index, which branches and kernel arguments carry."""

    __slots__ = ()

    @property
    def thr_idx(self) -> IntTupleLike:
        """The index of the thread."""
        return self._thr_idx  # type: ignore[attr-defined, no-any-return]

    def __fly_leaves__(self) -> tuple[Any, ...]:
        """The tiled atom of all threads, and the thread index."""
        whole = next(base for base in type(self).__mro__ if base.__name__.startswith("Tiled"))
        return whole(self), self.thr_idx

    def __fly_rebuild__(self, leaves: tuple[Any, ...]) -> Any:
        """The slice rebuilt from other leaves."""
        return type(self)(*leaves)
