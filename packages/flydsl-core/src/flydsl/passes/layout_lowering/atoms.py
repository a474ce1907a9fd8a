"""Copy and MMA atoms: which SSA value an atom is, and one call of it on tensors of rank 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from xdsl.ir import Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import (
    AtomSetValueOp,
    CopyAtomCallOp,
    DecompositionOp,
    GetCopyAtomOp,
    GetMmaAtomOp,
    MakeTiledCopyOp,
    MakeTiledMmaOp,
    MmaAtomCallOp,
    PtrLoadOp,
    PtrStoreOp,
    StaticOp,
)
from flydsl.ir.fly.atoms import CopyOpType, MmaOpType
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CopyAtomType, MmaAtomType, TiledCopyType, TiledMmaType
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.pieces import decomposed, direct, is_contiguous
from flydsl.passes.layout_lowering.tensor_values import Pointer, Tiled, View, static_size, unrolled
from flydsl.passes.layout_lowering.tensors import allocate

Handler = Callable[[FunctionLowering, Any], None]


def atom_of(program: FunctionLowering, ssa: SSAValue) -> SSAValue:
    """The atom of an atom, tiled copy or tiled MMA."""
    if isinstance(ssa.type, CopyAtomType | MmaAtomType):
        return ssa
    known = program.values.get(ssa)
    if known is not None:
        return known.atom  # type: ignore[no-any-return]
    assert isinstance(ssa.type, TiledCopyType | TiledMmaType)
    type_ = ssa.type.atom
    if not type_.op.fields or isinstance(ssa.owner, StaticOp):  # no state, or that of a new atom
        return program.static(type_)
    op_class = GetCopyAtomOp if isinstance(ssa.type, TiledCopyType) else GetMmaAtomOp
    return program.create(op_class, [ssa], [type_]).results[0]


def call_copy(program: FunctionLowering, atom: SSAValue, copies: Sequence[tuple[View, View, View | None]]) -> None:
    """One copy instruction for each (source, destination, predicate); all are alike but for their places.

    Register tensors whose elements are not contiguous go through one that is.
    """
    type_ = atom.type
    assert isinstance(type_, CopyAtomType)
    if not type_.op.whole_tile:
        copies = [(direct(src), direct(dst), _single_flag(pred)) for src, dst, pred in copies]
        for view, what in zip(copies[0], ("source", "destination"), strict=False):
            if view is not None and (problem := _misfit(type_, view, what)):
                raise IRError(problem)
        if copies[0][2] is not None and fl.cosize(copies[0][2].layout) != 1:
            raise IRError(
                f"one flag decides about a whole atom, but the predicate has the layout {copies[0][2].layout}"
            )
    for src, dst, pred in copies:
        source, target = _packed(program, src, filled=True), _packed(program, dst, filled=pred is not None)
        operands = [atom, program.view(source), program.view(target)]
        program.create(CopyAtomCallOp, operands + ([program.view(pred)] if pred is not None else []))
        if target is not dst:
            _move(program, target, dst)


def _single_flag(pred: View | None) -> View | None:
    if pred is not None and fl.cosize(pred.layout) != 1:
        raise IRError(f"one flag decides about a whole atom, but the predicate has the layout {pred.layout}")
    return pred and View(pred.iter, fl.Layout(1, 0))


@dataclass(frozen=True, slots=True)
class Fragment:
    """A tensor that MMA instructions read or write; `is_packed` when they take it as it is."""

    view: View
    is_packed: bool


def mma_fragments(atom: SSAValue, name: str, views: Sequence[View]) -> list[Fragment]:
    """The tensors as operand `name` of an MMA atom; IRError for one that the atom cannot read or write."""
    type_ = atom.type
    assert isinstance(type_, MmaAtomType)
    op, count = type_.op, _value_counts(type_.op)["dabc".index(name)]
    for view in views:
        if problem := _unfit_values(view, count, stays=name in op.memory_operands):
            raise IRError(f"operand {name} of {op} {problem}: {view.layout}")
    return [Fragment(view, _is_packed(view)) for view in views]


def call_mma(program: FunctionLowering, atom: SSAValue, d: Fragment, a: Fragment, b: Fragment, c: Fragment) -> None:
    """One MMA instruction."""
    inputs = [part.view if part.is_packed else _packed(program, part.view, filled=True) for part in (a, b, c)]
    target = d.view if d.is_packed else _packed(program, d.view, filled=False)
    program.create(MmaAtomCallOp, [atom, *[program.view(view) for view in (target, *inputs)]])
    if target is not d.view:
        _move(program, target, d.view)


@lru_cache(maxsize=256)
def _value_counts(op: MmaOpType) -> tuple[int, ...]:
    """How many values of d, a, b and c a thread has."""
    a, b, c = (static_size(fl.get(layout, 1)) for layout in op.tv_layouts)
    return c, a, b, c


def _unfit_values(view: View, count: int, *, stays: bool) -> str:
    """Why an MMA atom cannot read or write the tensor; empty when it can. One that `stays` in memory may be spread."""
    if static_size(view.layout) != count:
        return f"has {static_size(view.layout)} values in a thread, where the atom has {count}"
    if stays:
        return "is in registers, and the atom reads it from memory" if view.pointer.space == REGISTER else ""
    if view.pointer.space != REGISTER and not is_contiguous(view.layout):
        return "is in memory, where its values must be neighbours; copy them to registers"
    return ""


def _packed(program: FunctionLowering, view: View, filled: bool) -> View:
    """A register tensor with contiguous elements: `view`, or a new one, `filled` with its elements."""
    if _is_packed(view):
        return view
    if not view.layout.is_static:
        raise IRError(f"a register tensor needs a static layout, found {view.layout}")
    count = static_size(view.layout)
    packed = View(allocate(program, view.iter.element, count), fl.Layout(count, 1))
    if filled:
        _move(program, view, packed)
    return packed


def _is_packed(view: View) -> bool:
    return not isinstance(view.iter, Pointer) or view.iter.space != REGISTER or is_contiguous(view.layout)


def _move(program: FunctionLowering, src: View, dst: View) -> None:
    """Copy register tensors element by element."""
    for index in unrolled(src.layout, static_size(src.layout)):
        pointer = src.pointer.moved(src.layout(index))
        value = program.create(PtrLoadOp, [program.pointer(pointer)], [pointer.element]).results[0]
        program.create(PtrStoreOp, [value, program.pointer(dst.pointer.moved(dst.layout(index)))])


def _misfit(atom: CopyAtomType, view: View, what: str) -> str:
    """Why the atom cannot read or write the tensor; empty when it can."""
    op, element = atom.op, view.pointer.element
    bits, is_vector = _bits_of_a_thread(op, what == "source")
    count = static_size(view.layout)
    if count == 1 and op.from_memory_to_memory:
        return ""
    if count * element_bits(element) != bits:
        return f"{op} moves {bits} bits, but its {what} has {count} elements of {element}: {view.layout}"
    if is_vector and view.pointer.space != REGISTER and not is_contiguous(view.layout):
        return (
            f"{op} moves {bits} contiguous bits, but its {what} has the layout {view.layout}; "
            "use a copy of one element, or a tensor whose leading mode has a static stride of 1"
        )
    return ""


@lru_cache(maxsize=256)
def _bits_of_a_thread(op: CopyOpType, reads: bool) -> tuple[int, bool]:
    """How many bits one thread reads or writes, and whether they follow each other."""
    values = fl.coalesce(fl.get(op.src_tv_bits if reads else op.dst_tv_bits, 1))
    bits = static_size(values)
    return bits, values == fl.Layout(bits, 1)


def _make_tiled(program: FunctionLowering, op: Operation) -> None:
    program.set(op, Tiled(atom_of(program, op.operands[0]), op.results[0].type))


def _get_atom(program: FunctionLowering, op: Operation) -> None:
    program.replace(op, atom_of(program, op.operands[0]))


def _decomposition(program: FunctionLowering, op: DecompositionOp) -> None:
    program.set(op, decomposed(program.value(op.input)))


def _set_value(program: FunctionLowering, op: AtomSetValueOp) -> None:
    if isinstance(op.atom.type, CopyAtomType | MmaAtomType):
        program.keep(op)
        return
    atom = atom_of(program, op.atom)
    made = program.create(AtomSetValueOp, [atom, op.value], [atom.type], attributes=op.attributes)
    program.set(op, Tiled(made.results[0], op.results[0].type))


HANDLERS: Mapping[type[Operation], Handler] = {
    MakeTiledCopyOp: _make_tiled,
    MakeTiledMmaOp: _make_tiled,
    GetCopyAtomOp: _get_atom,
    GetMmaAtomOp: _get_atom,
    AtomSetValueOp: _set_value,
    DecompositionOp: _decomposition,
}
