"""The base of per-thread slices of tiled copies and MMAs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntTupleLike


class ThreadSlice:
    """The thread's number is a value of its own: it travels through branches and kernel arguments as a leaf beside the
    atom, so this is a tree of two, not one value."""

    __slots__ = ()

    @property
    def thr_idx(self) -> IntTupleLike:
        """The number of the thread."""
        return self._thr_idx  # type: ignore[attr-defined, no-any-return]

    def __fly_leaves__(self) -> tuple[Any, ...]:
        """The atom, whole, and the number."""
        whole = next(base for base in type(self).__mro__ if base.__name__.startswith("Tiled"))
        return whole(self), self.thr_idx

    def __fly_rebuild__(self, leaves: tuple[Any, ...]) -> Any:
        """The same part from other leaves."""
        return type(self)(*leaves)
