"""Copy and MMA atoms: which SSA value an atom is, and one call of it on tensors of rank 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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
    views,
)
from flydsl.ir.fly.atoms import CopyOpType
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CopyAtomType, MmaAtomType, TiledCopyType, TiledMmaType
from flydsl.passes.layout_lowering.program import Program
from flydsl.passes.layout_lowering.tensor_values import Pointer, View, static_size
from flydsl.passes.layout_lowering.tensors import allocate

__all__ = ["HANDLERS", "atom_of", "call_copy", "call_mma", "direct"]

Handler = Callable[[Program, Any], None]


@dataclass(frozen=True, slots=True)
class Tiled:
    """A tiled copy or MMA: what matters at run time is its atom."""

    atom: SSAValue


def atom_of(program: Program, ssa: SSAValue) -> SSAValue:
    """The atom of an atom, tiled copy or tiled MMA."""
    if isinstance(ssa.type, CopyAtomType | MmaAtomType):
        return ssa
    known = program.values.get(ssa)
    if known is not None:
        return known.atom  # type: ignore[no-any-return]
    assert isinstance(ssa.type, TiledCopyType | TiledMmaType)
    type_ = ssa.type.atom
    if not type_.op.fields:
        return program.static(type_)
    op_class = GetCopyAtomOp if isinstance(ssa.type, TiledCopyType) else GetMmaAtomOp
    return program.create(op_class, [ssa], [type_]).results[0]


def direct(view: View) -> View:
    """The tensor with a plain layout: its swizzle goes into the offset where one granule holds all, else on the pointer."""
    layout = view.layout
    if isinstance(layout, fl.Layout):
        return view
    if isinstance(layout.inner, fl.Swizzle) and isinstance(layout.outer, fl.Layout):
        offset, outer = layout.offset, layout.outer
        if not isinstance(offset, tuple) and _in_granule(offset, outer, 1 << layout.inner.base):
            return view.moved(layout.inner(offset), outer)
    return decomposed(view)


def decomposed(view: View) -> View:
    """The tensor with its offset in the iterator and its swizzle on the pointer."""
    layout = view.layout
    if isinstance(layout, fl.Layout):
        return view
    if not isinstance(view.iter, Pointer):
        raise IRError(f"decomposition: only a tensor with storage decomposes, found the layout {layout}")
    swizzle = views.decomposed(view.type)[2]
    moved = view.moved(layout.offset, layout.outer)
    return View(moved.pointer.swizzled(swizzle), layout.outer)


def _in_granule(offset: Any, outer: fl.Layout, granule: int) -> bool:
    """Every index of `offset + outer` is in the granule that `offset` is in, which a swizzle moves as a whole."""
    extent = fl.cosize(outer) if outer.is_static else None
    if not isinstance(extent, int) or not 0 < extent <= granule or any(stride < 0 for stride in _strides(outer)):
        return False
    if isinstance(offset, int):
        return offset % granule + extent <= granule
    step = offset.div
    return bool(step % granule == 0 or (granule % step == 0 and extent <= step))


def _strides(layout: fl.Layout) -> Sequence[Any]:
    flat = fl.flatten(layout.stride)
    return flat if isinstance(flat, tuple) else (flat,)


def call_copy(program: Program, atom: SSAValue, src: View, dst: View, pred: View | None) -> None:
    """One copy instruction; register tensors whose elements are not contiguous go through one that is."""
    type_ = atom.type
    assert isinstance(type_, CopyAtomType)
    if not type_.op.whole_tile:
        src, dst = direct(src), direct(dst)
        if _moves_contiguous(type_.op):
            _check_extent(program, type_, src, "source")
            _check_extent(program, type_, dst, "destination")
    packed_src, packed_dst = gathered(program, src), _packed(program, dst, filled=pred is not None)
    operands = [atom, program.view(packed_src), program.view(packed_dst)]
    program.create(CopyAtomCallOp, operands + ([program.view(pred)] if pred is not None else []))
    if packed_dst is not dst:
        _move(program, packed_dst, dst)


def call_mma(program: Program, atom: SSAValue, d: View, a: View, b: View, c: View) -> None:
    """One MMA instruction."""
    inputs = [gathered(program, direct(view)) for view in (a, b, c)]
    d = direct(d)
    packed = _packed(program, d, filled=False)
    program.create(MmaAtomCallOp, [atom, *(program.view(view) for view in (packed, *inputs))])
    if packed is not d:
        _move(program, packed, d)


def gathered(program: Program, view: View) -> View:
    """A register tensor with contiguous elements, copied from `view` when that is not one."""
    return _packed(program, view, filled=True)


def _packed(program: Program, view: View, filled: bool) -> View:
    if not isinstance(view.iter, Pointer) or view.pointer.type.space != REGISTER or is_contiguous(view.layout):
        return view
    if not view.layout.is_static:
        raise IRError(f"a register tensor needs a static layout, found {view.layout}")
    count = static_size(view.layout)
    packed = View(allocate(program, view.pointer.type.element, count), fl.Layout(count, 1))
    if filled:
        _move(program, view, packed)
    return packed


def _move(program: Program, src: View, dst: View) -> None:
    """Copy register tensors element by element."""
    for index in range(static_size(src.layout)):
        pointer = src.pointer.moved(src.layout(index))
        value = program.create(PtrLoadOp, [program.pointer(pointer)], [pointer.type.element]).results[0]
        program.create(PtrStoreOp, [value, program.pointer(dst.pointer.moved(dst.layout(index)))])


def is_contiguous(layout: fl.Layout) -> bool:
    """The elements are neighbours in memory, in order."""
    if not isinstance(layout, fl.Layout) or not layout.is_static:
        return False
    plain = fl.coalesce(layout)
    return plain.shape == 1 or (not isinstance(plain.shape, tuple) and plain.stride == 1)


def _moves_contiguous(op: CopyOpType) -> bool:
    """One thread moves the bits of one vector: the form of loads and stores."""
    bits = fl.size(op.src_tv_bits)
    return op.src_tv_bits == op.dst_tv_bits == fl.Layout((1, bits), (1, 1))


def _check_extent(program: Program, atom: CopyAtomType, view: View, what: str) -> None:
    element = view.pointer.type.element
    bits, count = static_size(atom.op.src_tv_bits), static_size(view.layout)
    if count * element_bits(element) != bits:
        raise IRError(f"{atom.op} moves {bits} bits, but its {what} has {count} elements of {element}: {view.layout}")
    if view.pointer.type.space != REGISTER and not is_contiguous(view.layout):
        raise IRError(
            f"{atom.op} moves {bits} contiguous bits, but its {what} has the layout {view.layout}; "
            "use a copy of one element, or a tensor whose leading mode has a static stride of 1"
        )


def _make_tiled(program: Program, op: Operation) -> None:
    program.set(op, Tiled(atom_of(program, op.operands[0])))


def _get_atom(program: Program, op: Operation) -> None:
    program.replace(op, atom_of(program, op.operands[0]))


def _decomposition(program: Program, op: DecompositionOp) -> None:
    program.set(op, decomposed(program.value(op.input)))


def _set_value(program: Program, op: AtomSetValueOp) -> None:
    if isinstance(op.atom.type, CopyAtomType | MmaAtomType):
        program.keep(op)
        return
    atom = atom_of(program, op.atom)
    made = program.create(AtomSetValueOp, [atom, op.value], [atom.type], attributes=op.attributes)
    program.set(op, Tiled(made.results[0]))


HANDLERS: Mapping[type[Operation], Handler] = {
    MakeTiledCopyOp: _make_tiled,
    MakeTiledMmaOp: _make_tiled,
    GetCopyAtomOp: _get_atom,
    GetMmaAtomOp: _get_atom,
    AtomSetValueOp: _set_value,
    DecompositionOp: _decomposition,
}
