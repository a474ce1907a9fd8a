"""Atom calls: operands, run-time state and predicates, handled once for the handlers of all atoms."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from xdsl.dialects import vector
from xdsl.dialects.builtin import IndexType, IntegerType, VectorType
from xdsl.ir import Attribute, Operation, SSAValue

import flydsl.layout as fl
from flydsl.backend.conversion.conversion import Conversion, Handlers
from flydsl.backend.conversion.target import AtomField, CopyCall, Memory, MmaCall
from flydsl.backend.conversion.universal_atoms import UNIVERSAL_COPIES, UNIVERSAL_MMAS
from flydsl.base.errors import IRError
from flydsl.ir.fly import (
    AtomSetValueOp,
    CopyAtomCallOp,
    CopyAtomCallSsaOp,
    GetCopyAtomOp,
    GetMmaAtomOp,
    MakeCopyAtomOp,
    MakeMmaAtomOp,
    MakeTiledCopyOp,
    MakeTiledMmaOp,
    MmaAtomCallOp,
    MmaAtomCallSsaOp,
    StaticOp,
)
from flydsl.ir.fly.element import element_bits
from flydsl.ir.fly.types import CopyAtomType, MmaAtomType
from flydsl.ir.upstream import StructType
from flydsl.passes.cached_attributes import position
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.to_llvm.builder import LLVMBuilder


def _copy_call(conversion: Conversion, op: CopyAtomCallOp | CopyAtomCallSsaOp) -> None:
    atom = conversion.type_of(op.atom)
    assert isinstance(atom, CopyAtomType), atom
    handler = conversion.target.copies.get(type(atom.op)) or UNIVERSAL_COPIES.get(type(atom.op))
    if handler is None:
        raise IRError(f"target {conversion.target.name!r} cannot execute the copy {atom.op}")
    dst = conversion.operand(op.dst) if op.dst is not None else None
    result = conversion.types(op.results[0].type) if op.results else None
    call = CopyCall(
        op=op,
        build=conversion.build,
        atom=atom.op,
        val_bits=atom.val_bits,
        state=_state(conversion, op.atom),
        src=conversion.operand(op.src),
        dst=dst if isinstance(dst, Memory) else None,
        result=result,
    )
    if op.pred is None:
        moved = handler(conversion, call)
        if result is not None:
            assert moved is not None, "a copy handler returned no value"
            conversion.define(op, moved)
        return
    types = [result] if result is not None else []
    chosen, then, otherwise = conversion.build.if_(_predicate(conversion, op.pred), types)
    moved = handler(conversion, replace(call, build=then))
    if result is None:
        then.yield_()
        otherwise.yield_()
        return
    assert moved is not None, "a copy handler returned no value"
    assert isinstance(dst, SSAValue), "a predicated copy to registers needs the old value"
    then.yield_(moved)
    otherwise.yield_(dst)
    conversion.define(op, chosen.results[0])


def _predicate(conversion: Conversion, pred: SSAValue) -> SSAValue:
    """The predicate as an i1, whether it is in memory, a vector of one element or a scalar."""
    operand, build = conversion.operand(pred), conversion.build
    if isinstance(operand, Memory):
        return operand.load(build, IntegerType(1))
    if isinstance(operand.type, VectorType):
        properties = {"static_position": position(0)}
        return build.value(vector.ExtractOp, (operand,), operand.type.element_type, properties)
    return operand


def _mma_call(conversion: Conversion, op: MmaAtomCallOp | MmaAtomCallSsaOp) -> None:
    atom = conversion.type_of(op.atom)
    assert isinstance(atom, MmaAtomType), atom
    handler = conversion.target.mmas.get(type(atom.op)) or UNIVERSAL_MMAS.get(type(atom.op))
    if handler is None:
        raise IRError(f"target {conversion.target.name!r} cannot execute the matrix operation {atom.op}")
    operand_types = conversion.target.mma_operands.get(type(atom.op))
    types = operand_types(atom.op) if operand_types else _fragment_types(atom)
    memory = _operands_in_memory(conversion, op, atom.op.memory_operands)
    a, b, c = (
        memory[name].pointer if name in memory else _fragment(conversion, getattr(op, name), type_)
        for name, type_ in zip("abc", types, strict=True)
    )
    state = _state(conversion, op.atom)
    accumulators = types[2] if "c" in memory else c.type
    result = handler(conversion, MmaCall(op, conversion.build, atom.op, state, a, b, c, accumulators, memory))
    if "d" in memory:
        assert result is None, "the handler of an atom that has d in memory writes it there"
        return
    assert result is not None, "an MMA handler returned no value"
    if op.results:
        conversion.define(op, result)
        return
    assert op.d is not None, "an MMA call without a result needs a destination"
    conversion.memory(op.d).store(conversion.build, result)


def _operands_in_memory(
    conversion: Conversion, op: MmaAtomCallOp | MmaAtomCallSsaOp, names: Collection[str]
) -> dict[str, Memory]:
    """The operands that the instruction itself accesses; IRError for one that is a value."""
    found = {}
    for name in sorted(names):
        value = getattr(op, name)
        operand = conversion.operand(value) if value is not None else None
        if not isinstance(operand, Memory):
            kind = "a result" if value is None else f"a value of type {value.type}"
            raise IRError(f"operand {name} of {conversion.type_of(op.atom)} is in memory, found {kind}; pass a tensor")
        found[name] = operand
    return found


def _fragment(conversion: Conversion, value: SSAValue, type_: Any) -> SSAValue:
    operand = conversion.operand(value)
    return operand.load(conversion.build, type_) if isinstance(operand, Memory) else operand


@lru_cache(maxsize=256)
def _fragment_types(atom: MmaAtomType) -> list[Attribute]:
    """The values that one thread holds of a, b and c."""
    types: list[Attribute] = []
    for layout, value_type in zip(atom.op.tv_layouts, atom.op.value_types, strict=False):
        count = fl.size(fl.get(layout, 1))
        assert isinstance(count, int), "atoms have static layouts"
        element = storage_type(value_type)
        types.append(element if count == 1 else VectorType(element, [count]))
    return types[:3]


# run-time state


def _fields(conversion: Conversion, type_: Any) -> tuple[AtomField, ...]:
    atom = type_ if isinstance(type_, CopyAtomType | MmaAtomType) else type_.atom
    return conversion.target.state_of(atom.op)


def _state(conversion: Conversion, atom: SSAValue) -> Mapping[str, SSAValue]:
    fields = _fields(conversion, conversion.type_of(atom))
    if not fields:
        return {}
    struct, build = conversion.value(atom), conversion.build
    return {f.name: build.extract_value(struct, (i,), f.type) for i, f in enumerate(fields)}


def _make_atom(conversion: Conversion, op: Operation) -> None:
    """Atoms without state have no value; others start as a struct of their defaults."""
    type_ = op.results[0].type
    if isinstance(type_, CopyAtomType | MmaAtomType):
        fields = _fields(conversion, type_)
        if fields:
            conversion.define(op, _default_state(conversion.build, conversion.types(type_), fields))


def _default_state(build: LLVMBuilder, type_: Any, fields: tuple[AtomField, ...]) -> SSAValue:
    assert isinstance(type_, StructType)
    struct = build.undef(type_)
    constants: dict[tuple[int, Attribute], SSAValue] = {}
    for index, field in enumerate(fields):
        key = (field.default, field.type)
        if key not in constants:
            constants[key] = build.constant(*key)  # type: ignore[arg-type]
        struct = build.insert_value(struct, constants[key], (index,))
    return struct


def _set_value(conversion: Conversion, op: AtomSetValueOp) -> None:
    fields = _fields(conversion, conversion.type_of(op.atom))
    names = [field.name for field in fields]
    if op.field not in names:
        raise IRError(f"{conversion.type_of(op.atom)} has no field {op.field!r}; fields: {', '.join(names) or 'none'}")
    index = names.index(op.field)
    value = _field_value(conversion, op, fields[index])
    conversion.define(op, conversion.build.insert_value(conversion.value(op.atom), value, (index,)))


def _field_value(conversion: Conversion, op: AtomSetValueOp, field: AtomField) -> SSAValue:
    """The value as the field's integer: the bits of a vector or float, an integer extended or truncated."""
    value, build = conversion.value(op.value), conversion.build
    is_integer = isinstance(value.type, IntegerType | IndexType)
    if (field.is_exact or not is_integer) and element_bits(value.type) != element_bits(field.type):
        raise IRError(
            f"{field.name!r} of {conversion.type_of(op.atom)} has {element_bits(field.type)} bits, "
            f"found a value of type {value.type}"
        )
    return build.integer_cast(value, field.type) if is_integer else build.bitcast(value, field.type)


def _same_atom(conversion: Conversion, op: Operation) -> None:
    """A tiled copy or MMA is its atom at run time."""
    if _fields(conversion, conversion.type_of(op.operands[0])):
        conversion.define(op, conversion.value(op.operands[0]))


ATOM_HANDLERS: Handlers = {
    AtomSetValueOp: _set_value,
    CopyAtomCallOp: _copy_call,
    CopyAtomCallSsaOp: _copy_call,
    GetCopyAtomOp: _same_atom,
    GetMmaAtomOp: _same_atom,
    MakeCopyAtomOp: _make_atom,
    MakeMmaAtomOp: _make_atom,
    MakeTiledCopyOp: _same_atom,
    MakeTiledMmaOp: _same_atom,
    MmaAtomCallOp: _mma_call,
    MmaAtomCallSsaOp: _mma_call,
    StaticOp: _make_atom,
}
