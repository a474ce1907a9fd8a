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
from flydsl.passes.layout_lowering.program import Program
from flydsl.passes.layout_lowering.tensor_values import View, static_size

__all__ = ["HANDLERS"]

Handler = Callable[[Program, Any], None]


def _copy_atom_call(program: Program, op: CopyAtomCallOp) -> None:
    pred = program.value(op.pred) if op.pred is not None else None
    call_copy(program, atom_of(program, op.atom), program.value(op.src), program.value(op.dst), pred)
    program.lowered.append(op)


def _mma_atom_call(program: Program, op: MmaAtomCallOp) -> None:
    d, a, b, c = (program.value(operand) for operand in (op.d, op.a, op.b, op.c))
    call_mma(program, atom_of(program, op.atom), d, a, b, c)
    program.lowered.append(op)


def _copy(program: Program, op: CopyOp) -> None:
    """Mode 0 is what the atom moves; it is called once for each index of the other modes."""
    atom, src, dst = atom_of(program, op.atom), program.value(op.src), program.value(op.dst)
    pred = program.value(op.pred) if op.pred is not None else None
    program.lowered.append(op)
    rank = src.layout.rank
    if dst.layout.rank != rank:
        raise IRError(f"fly.copy: source and destination differ in rank: {src.layout} and {dst.layout}")
    if atom.type.op.whole_tile or rank == 1:  # type: ignore[attr-defined]
        call_copy(program, atom, src, dst, pred)
        return
    rests = [_rest(src), _rest(dst)]
    if pred is not None:
        pred = _with_value_mode(pred, rank)
        rests.append(_rest(pred))
    count = _common_extent("fly.copy", [view.layout for view in (src, dst, pred) if view], rests)
    for index in range(count):
        views = [_at(view, [(rest, index)]) for view, rest in zip((src, dst, pred), rests, strict=False) if view]
        call_copy(program, atom, views[0], views[1], views[2] if pred is not None else None)


def _rest(view: View) -> fl.Layout:
    """The modes after the first as one."""
    return joined(list(_outer(view))[1:])


def _outer(view: View) -> fl.Layout:
    layout = view.layout
    outer = layout.outer if isinstance(layout, fl.ComposedLayout) else layout
    if not isinstance(outer, fl.Layout):
        raise IRError(f"a composed layout over another one cannot be taken apart here: {layout}")
    return outer


def _at(view: View, indexes: list[tuple[fl.Layout, int]]) -> View:
    """Mode 0 of the tensor, at the given indexes of other modes."""
    offset: Any = 0
    for layout, index in indexes:
        offset = fl.int_tuple_add(offset, layout(index)) if index else offset
    layout = view.layout
    if isinstance(layout, fl.ComposedLayout):
        start = fl.int_tuple_add(layout.offset, offset)
        return View(view.iter, fl.ComposedLayout(layout.inner, start, layout.outer[0]))
    return view.moved(offset, layout[0])


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


def _common_extent(op: str, layouts: list[Any], rests: list[fl.Layout]) -> int:
    counts = [static_size(rest) for rest in rests]
    if len(set(counts)) > 1:
        raise IRError(f"{op}: the extents after the first mode differ: {' and '.join(map(str, layouts))}")
    return counts[0]


def _gemm(program: Program, op: GemmOp) -> None:
    """d = a * b + c: (V,M,N), (V,M[,K]), (V,N[,K]), (V,M,N); the first product of each (m, n) reads c, the others d."""
    atom = atom_of(program, op.atom)
    d, a, b, c = (program.value(operand) for operand in (op.d, op.a, op.b, op.c))
    program.lowered.append(op)
    if all(view.layout.rank == 1 for view in (d, a, b, c)):
        call_mma(program, atom, d, a, b, c)
        return
    extents = _gemm_extents(d, a, b, c)
    traversal = program.value(op.traversal_layout) if op.traversal_layout is not None else None
    visited: set[tuple[int, int]] = set()
    for m, n, k in _traversal(extents, op.traversal_order, traversal):
        source = d if (m, n) in visited else c
        visited.add((m, n))
        call_mma(program, atom, _mode_at(d, m, n), _mode_at(a, m, k), _mode_at(b, n, k), _mode_at(source, m, n))


def _mode_at(view: View, *indexes: int) -> View:
    outer = _outer(view)
    return _at(view, [(outer[mode + 1], index) for mode, index in enumerate(indexes) if mode + 1 < outer.rank])


def _gemm_extents(d: View, a: View, b: View, c: View) -> tuple[int, int, int]:
    shapes = [[static_size(mode) for mode in list(_outer(view))[1:]] for view in (d, a, b, c)]
    ds, as_, bs, cs = shapes
    described = ", ".join(f"{name} {view.layout}" for name, view in zip("dabc", (d, a, b, c), strict=True))
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
