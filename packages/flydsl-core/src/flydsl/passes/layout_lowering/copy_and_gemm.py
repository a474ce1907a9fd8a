"""Copies and matrix products of whole partitioned tensors: unrolled into calls of their atom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from xdsl.ir import Operation

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import CopyAtomCallOp, CopyOp, GemmOp, MmaAtomCallOp
from flydsl.ir.fly.attributes import GemmTraversalOrder
from flydsl.layout.layout import joined
from flydsl.passes.layout_lowering.atoms import atom_of, call_copy, call_mma
from flydsl.passes.layout_lowering.pieces import direct, outer_layout, pieces
from flydsl.passes.layout_lowering.program import Program
from flydsl.passes.layout_lowering.tensor_values import View, plain_layout, static_size

__all__ = ["HANDLERS"]

Handler = Callable[[Program, Any], None]


def _copy_atom_call(program: Program, op: CopyAtomCallOp) -> None:
    pred = program.value(op.pred) if op.pred is not None else None
    program.lowered.append(op)
    call_copy(program, atom_of(program, op.atom), [(program.value(op.src), program.value(op.dst), pred)])


def _mma_atom_call(program: Program, op: MmaAtomCallOp) -> None:
    d, a, b, c = (direct(program.value(operand)) for operand in (op.d, op.a, op.b, op.c))
    program.lowered.append(op)
    call_mma(program, atom_of(program, op.atom), d, a, b, c)


def _copy(program: Program, op: CopyOp) -> None:
    """Mode 0 is what the atom moves; it is called once for each index of the other modes."""
    atom, src, dst = atom_of(program, op.atom), program.value(op.src), program.value(op.dst)
    pred = program.value(op.pred) if op.pred is not None else None
    program.lowered.append(op)
    rank = src.layout.rank
    if dst.layout.rank != rank:
        raise IRError(f"fly.copy: source and destination differ in rank: {src.layout} and {dst.layout}")
    if atom.type.op.whole_tile or rank == 1:  # type: ignore[attr-defined]
        call_copy(program, atom, [(src, dst, pred)])
        return
    parts: list[Any] = [pieces(src), pieces(dst)]
    if pred is not None:
        parts.append(pieces(_with_value_mode(pred, rank)))
    if len({len(part) for part in parts}) > 1:
        layouts = " and ".join(str(plain_layout(view.layout)) for view in (src, dst, pred) if view)
        raise IRError(f"fly.copy: the extents after the first mode differ: {layouts}")
    if pred is None:
        parts.append([None] * len(parts[0]))
    if parts[0]:
        call_copy(program, atom, list(zip(*parts, strict=True)))


def _with_value_mode(pred: View, rank: int) -> View:
    """A predicate with one flag for all values of an atom, whatever its rank."""
    layout = pred.layout
    if not isinstance(layout, fl.Layout) or layout.rank not in (rank - 1, rank):
        raise IRError(f"fly.copy: the predicate must have rank {rank} or {rank - 1}, found {layout}")
    if layout.rank == rank - 1:
        return View(pred.iter, fl.prepend(layout, fl.Layout(1, 0)))
    if fl.cosize(layout[0]) != 1:
        raise IRError(f"fly.copy: one flag decides about a whole atom, but the predicate has more of them: {layout}")
    return View(pred.iter, joined([fl.Layout(1, 0), *list(layout)[1:]]))


def _gemm(program: Program, op: GemmOp) -> None:
    """d = a * b + c: (V,M,N), (V,M[,K]), (V,N[,K]), (V,M,N); the first product of each (m, n) reads c, the others d."""
    atom = atom_of(program, op.atom)
    operands = [program.value(operand) for operand in (op.d, op.a, op.b, op.c)]
    program.lowered.append(op)
    if all(view.layout.rank == 1 for view in operands):
        d, a, b, c = map(direct, operands)
        call_mma(program, atom, d, a, b, c)
        return
    m_extent, n_extent, _ = extents = _gemm_extents(*operands)
    traversal = program.value(op.traversal_layout) if op.traversal_layout is not None else None
    ds, as_, bs, cs = ([direct(piece) for piece in pieces(view)] for view in operands)
    visited: set[int] = set()
    for m, n, k in _traversal(extents, op.traversal_order, traversal):
        place = m + m_extent * n
        source = ds if place in visited else cs
        visited.add(place)
        call_mma(program, atom, ds[place], as_[m + m_extent * k], bs[n + n_extent * k], source[place])


def _gemm_extents(d: View, a: View, b: View, c: View) -> tuple[int, int, int]:
    shapes = [[static_size(mode) for mode in list(outer_layout(view))[1:]] for view in (d, a, b, c)]
    ds, as_, bs, cs = shapes
    described = ", ".join(
        f"{name} {plain_layout(view.layout)}" for name, view in zip("dabc", (d, a, b, c), strict=True)
    )
    if len(ds) != 2 or len(cs) != 2 or len(as_) not in (1, 2) or len(bs) != len(as_):
        raise IRError(f"fly.gemm takes d, c as (V,M,N), a as (V,M[,K]) and b as (V,N[,K]): {described}")
    if ds != cs or ds != [as_[0], bs[0]] or as_[1:] != bs[1:]:
        raise IRError(f"fly.gemm: the extents M, N and K differ between the operands: {described}")
    return ds[0], ds[1], as_[1] if len(as_) == 2 else 1


def _traversal(
    extents: tuple[int, int, int], order: GemmTraversalOrder | None, layout: Any
) -> Iterator[tuple[int, int, int]]:
    """The (m, n, k) of every atom, in order of execution."""
    m, n, k = extents
    if layout is not None:
        if not isinstance(layout, fl.Layout) or not layout.is_static:
            raise IRError(f"fly.gemm: the traversal layout must be static, found {layout}")
        indexes: list[Any] = [layout(index) for index in range(static_size(layout))]
        if sorted(indexes) != list(range(m * n * k)):
            raise IRError(f"fly.gemm: the traversal layout {layout} must visit each of {extents} once")
        yield from ((index % m, index // m % n, index // (m * n)) for index in indexes)
        return
    name, _, serpentine = (order or GemmTraversalOrder.NMK).value.partition("_")
    inner, middle, outer = tuple(name)
    sizes = dict(zip("mnk", extents, strict=True))
    for step, (o, i) in enumerate(product(range(sizes[outer]), range(sizes[middle]))):
        line = range(sizes[inner])
        for j in reversed(line) if serpentine and step % 2 else line:
            found = {outer: o, middle: i, inner: j}
            yield found["m"], found["n"], found["k"]


HANDLERS: Mapping[type[Operation], Handler] = {
    CopyOp: _copy,
    GemmOp: _gemm,
    CopyAtomCallOp: _copy_atom_call,
    MmaAtomCallOp: _mma_atom_call,
}
