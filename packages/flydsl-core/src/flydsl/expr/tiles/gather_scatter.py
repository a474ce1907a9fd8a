"""Gather and scatter: copies from or to a base pointer plus a tensor of offsets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr.layouts.layout import make_layout
from flydsl.expr.layouts.modes import get_, group, rank, select, size
from flydsl.expr.memory.pointer import Pointer, get_iter
from flydsl.expr.memory.tensor import Tensor, make_rmem_tensor, make_view
from flydsl.expr.numeric import Boolean
from flydsl.expr.tiles.atoms import Atom
from flydsl.expr.tiles.copy_and_gemm import copy

if TYPE_CHECKING:
    from flydsl.expr.layouts.int_tuple import IntTuple

__all__ = ["gather", "scatter"]
_OF_CALLS = 2


def gather(
    copy_atom: Atom,
    base_iter: Pointer | Tensor,
    offset_tensor: Tensor,
    dst_tensor: Tensor,
    *,
    pred: Tensor | None = None,
) -> None:
    """dst_tensor[:, i] = the elements starting at base_iter + offset_tensor[i], for every i where `pred[i]` is true.

    Mode 0 of the destination (V, rest...) is consecutive in memory; there is one offset, in elements, and one predicate
    for each index of the rest. Of a part of a tiled copy, or a fragment like it, mode 0 is (V, calls): then there is
    one for each call and index, in this order. Raises FrontendError for dynamic shapes or another number of offsets or
    predicates.
    """
    for memory, registers, flag in _pieces("gather", base_iter, offset_tensor, dst_tensor, pred):
        copy(copy_atom, memory, registers, pred=flag)


def scatter(
    copy_atom: Atom,
    src_tensor: Tensor,
    base_iter: Pointer | Tensor,
    offset_tensor: Tensor,
    *,
    pred: Tensor | None = None,
) -> None:
    """The elements starting at base_iter + offset_tensor[i] = src_tensor[:, i], for every i where `pred[i]` is true.

    The inverse of `gather`. Which of two values is stored at one address is undefined; an atomic copy atom combines
    them.
    """
    for memory, registers, flag in _pieces("scatter", base_iter, offset_tensor, src_tensor, pred):
        copy(copy_atom, registers, memory, pred=flag)


def _pieces(
    function: str, base_iter: Pointer | Tensor, offsets: Tensor, tensor: Tensor, pred: Tensor | None
) -> Iterator[tuple[Tensor, Tensor, Tensor | None]]:
    """The tensor in memory, the part of `tensor`, and the predicate of every offset."""
    base = get_iter(base_iter) if isinstance(base_iter, Tensor) else base_iter
    if not isinstance(base, Pointer):
        raise FrontendError(f"{function} needs a pointer to start from, found {base_iter!r}; take fx.get_iter(tensor)")
    modes = rank(tensor)
    calls = _calls(function, tensor)
    values = _extent(function, select(tensor.shape, [0])) // calls
    count = _extent(function, tensor.shape) // values
    for what, operand in (("offset", offsets), ("flag", pred)):
        if operand is not None and _extent(function, operand.shape) != count:
            raise FrontendError(f"{function} of {tensor!r} needs {count} {what}s, found {operand!r}")
    grouped = group(tensor, 1, modes) if modes > 2 else tensor
    for index in range(count):
        first = (None, index % calls) if _has_calls(tensor) else None
        part = grouped[first, index // calls] if modes > 1 else grouped if first is None else grouped[first,]
        memory = make_layout(part.shape) if _has_calls(tensor) else make_layout(values, 1)
        yield make_view(base + offsets[index], memory), part, _flag(pred, index)


def _has_calls(tensor: Tensor) -> bool:
    """Whether mode 0 is (values of one call of an atom, calls)."""
    return rank(get_(tensor.shape, 0)) == _OF_CALLS


def _calls(function: str, tensor: Tensor) -> int:
    """How many calls of the atom mode 0 is made of."""
    return _extent(function, get_(get_(tensor.shape, 0), 1)) if _has_calls(tensor) else 1


def _extent(function: str, shape: IntTuple) -> int:
    extent = size(shape)
    if not extent.is_static:
        raise FrontendError(f"{function} is unrolled and needs static shapes, found {shape!r}")
    return int(extent)


def _flag(pred: Tensor | None, index: int) -> Tensor | None:
    if pred is None:
        return None
    flag = make_rmem_tensor(1, Boolean)
    flag[0] = pred[index]
    return flag
