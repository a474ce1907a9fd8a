"""Accesses of elements below a limit that is known at run time, where there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from flydsl.expr.numeric import Int32
from flydsl.extension.coop.block.rewritten import rewritten

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike


class Readable(Protocol):
    """A 1-D tensor, a pointer or an array."""

    def __getitem__(self, index: Int32, /) -> object: ...


class Writable(Protocol):
    """The same, of which elements are written."""

    def __setitem__(self, index: Int32, value: object, /) -> None: ...


def load_below(index: Int32, limit: IntLike | None, source: Readable, position: Int32, otherwise: object) -> object:
    """`source[position]` where `index` is below `limit` or that is None, else `otherwise`."""
    if limit is None:
        return source[position]
    return rewritten(_load)(index, Int32(limit), source, position, otherwise)


def store_below(index: Int32, limit: IntLike | None, target: Writable, position: Int32, value: object) -> None:
    """`target[position] = value` where `index` is below `limit` or that is None."""
    if limit is None:
        target[position] = value
    else:
        rewritten(_store)(index, Int32(limit), target, position, value)


def _load(index: Int32, limit: Int32, source: Readable, position: Int32, otherwise: object) -> object:
    value = otherwise
    if index < limit:
        value = source[position]
    return value


def _store(index: Int32, limit: Int32, target: Writable, position: Int32, value: object) -> None:
    if index < limit:
        target[position] = value
