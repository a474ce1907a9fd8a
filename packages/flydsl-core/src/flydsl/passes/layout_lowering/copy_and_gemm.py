"""Copies and matrix products of whole partitioned tensors: unrolled into calls of their atom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from xdsl.ir import Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import CopyAtomCallOp, CopyOp, GemmOp, MmaAtomCallOp
from flydsl.ir.fly.attributes import GemmTraversalOrder
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.traversal import traversal
from flydsl.ir.fly.types import CopyAtomType
from flydsl.passes.layout_lowering.atoms import atom_of, call_copy, call_mma, mma_fragments
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.pieces import direct, outer_layout, pieces
from flydsl.passes.layout_lowering.tensor_values import View, plain_layout, static_size, unrolled

Handler = Callable[[FunctionLowering, Any], None]
Copy = tuple[View, View, View | None]


def _copy_atom_call(program: FunctionLowering, op: CopyAtomCallOp) -> None:
    pred = program.value(op.pred) if op.pred is not None else None
    program.lowered.append(op)
    call_copy(program, atom_of(program, op.atom), [(program.value(op.src), program.value(op.dst), pred)])


def _mma_atom_call(program: FunctionLowering, op: MmaAtomCallOp) -> None:
    views = [direct(program.value(operand)) for operand in (op.d, op.a, op.b, op.c)]
    program.lowered.append(op)
    _multiply(program, atom_of(program, op.atom), views)


def _copy(program: FunctionLowering, op: CopyOp) -> None:
    """Mode 0 holds the values of one or more atom calls; the other modes repeat it."""
    atom, src, dst = atom_of(program, op.atom), program.value(op.src), program.value(op.dst)
    pred = program.value(op.pred) if op.pred is not None else None
    program.lowered.append(op)
    assert isinstance(atom.type, CopyAtomType)
    if atom.type.op.whole_tile:
        call_copy(program, atom, [(src, dst, pred)])
        return
    rank = src.layout.rank
    if dst.layout.rank != rank:
        raise IRError(f"fly.copy: source and destination differ in rank: {_shown(src, dst)}")
    if rank > 1:
        flags = pieces(_with_value_mode(pred, rank)) if pred is not None else None
        parts = _aligned(pieces(src), pieces(dst), flags, (src, dst, pred))
    else:
        parts = [(src, dst, pred)]
    copies = [call for part in parts for call in _calls(atom.type, *part)]
    if copies:
        call_copy(program, atom, copies)


def _calls(atom: CopyAtomType, src: View, dst: View, pred: View | None) -> list[Copy]:
    """Split what belongs to one index into atom calls, in the order of the values."""
    count, written = _values_of_call(atom.op.src_tv_bits, src), _values_of_call(atom.op.dst_tv_bits, dst)
    if not count or not written or static_size(outer_layout(src)) == count:
        return [(src, dst, pred)]
    if static_size(outer_layout(src)) % count or static_size(outer_layout(dst)) % written:
        return [(src, dst, pred)]  # reported with the atom's needs
    sources, targets = pieces(_divided(src, count)), pieces(_divided(dst, written))
    flags = None
    if pred is not None and fl.cosize(pred.layout) == 1:
        flags = [pred] * len(sources)
    elif pred is not None:  # a flag for each value, or one for each call
        per_value = static_size(pred.layout) == static_size(outer_layout(src))
        flags = pieces(_divided(pred, count if per_value else 1))
    return _aligned(sources, targets, flags, (src, dst, pred))


def _values_of_call(tv_bits: fl.Layout, view: View) -> int:
    """How many elements of `view` one thread passes to a call; 0 when that is no whole number.

    Those of the source and of the destination may differ: a thread may have the address of more than it gets.
    """
    bits, width = _bits_of_a_thread(tv_bits), element_bits(view.pointer.element)
    return 0 if bits % width else bits // width


@lru_cache(maxsize=256)
def _bits_of_a_thread(tv_bits: fl.Layout) -> int:
    return static_size(tv_bits[1])


def _divided(view: View, count: int) -> View:
    """The tensor as (count values, rest)."""
    outer = fl.logical_divide(outer_layout(view), fl.Layout(count))
    layout = view.layout
    if isinstance(layout, fl.ComposedLayout):
        return View(view.iter, fl.ComposedLayout(layout.inner, layout.offset, outer))
    return View(view.iter, outer)


def _aligned(sources: list[View], targets: list[View], flags: list[View] | None, whole: Copy) -> list[Copy]:
    """Sources, targets and predicates side by side, of which there must be equally many."""
    counts = {len(sources), len(targets), len(flags) if flags is not None else len(sources)}
    if len(counts) > 1:
        raise IRError(f"fly.copy: the extents after the first mode differ: {_shown(*whole)}")
    if flags is None:
        return [(source, target, None) for source, target in zip(sources, targets, strict=True)]
    return list(zip(sources, targets, flags, strict=True))


def _shown(*views: View | None) -> str:
    return " and ".join(str(plain_layout(view.layout)) for view in views if view is not None)


def _with_value_mode(pred: View, rank: int) -> View:
    """A predicate of the tensors' rank: one flag for all values where it has a mode less."""
    layout = pred.layout
    if not isinstance(layout, fl.Layout) or layout.rank not in (rank - 1, rank):
        raise IRError(f"fly.copy: the predicate must have rank {rank} or {rank - 1}, found {plain_layout(layout)}")
    return View(pred.iter, fl.prepend(layout, fl.Layout(1, 0))) if layout.rank == rank - 1 else pred


def _gemm(program: FunctionLowering, op: GemmOp) -> None:
    """d = a * b + c: (V,M,N), (V,M[,K]), (V,N[,K]), (V,M,N); the first product of each (m, n) reads c, the others d."""
    atom = atom_of(program, op.atom)
    operands = [program.value(operand) for operand in (op.d, op.a, op.b, op.c)]
    program.lowered.append(op)
    if all(view.layout.rank == 1 for view in operands):
        _multiply(program, atom, list(map(direct, operands)))
        return
    m_extent, n_extent, _ = extents = _gemm_extents(*operands)
    given = program.value(op.traversal_layout) if op.traversal_layout is not None else None
    ds, as_, bs, cs = (
        mma_fragments(atom, name, [direct(piece) for piece in pieces(view)])
        for name, view in zip("dabc", operands, strict=True)
    )
    visited: set[int] = set()
    for m, n, k in _traversal(extents, op.traversal_order, given):
        place = m + m_extent * n
        source = ds if place in visited else cs
        visited.add(place)
        call_mma(program, atom, ds[place], as_[m + m_extent * k], bs[n + n_extent * k], source[place])


def _multiply(program: FunctionLowering, atom: SSAValue, views: Sequence[View]) -> None:
    d, a, b, c = (mma_fragments(atom, name, [view])[0] for name, view in zip("dabc", views, strict=True))
    call_mma(program, atom, d, a, b, c)


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
    unrolled("fly.gemm", m * n * k)
    if layout is not None:
        if not isinstance(layout, fl.Layout) or not layout.is_static:
            raise IRError(f"fly.gemm: the traversal layout must be static, found {layout}")
        indexes: list[Any] = [layout(index) for index in unrolled(layout, static_size(layout))]
        if sorted(indexes) != list(range(m * n * k)):
            raise IRError(f"fly.gemm: the traversal layout {layout} must visit each of {extents} once")
        yield from ((index % m, index // m % n, index // (m * n)) for index in indexes)
        return
    yield from traversal(extents, order)


HANDLERS: Mapping[type[Operation], Handler] = {
    CopyOp: _copy,
    GemmOp: _gemm,
    CopyAtomCallOp: _copy_atom_call,
    MmaAtomCallOp: _mma_atom_call,
}
