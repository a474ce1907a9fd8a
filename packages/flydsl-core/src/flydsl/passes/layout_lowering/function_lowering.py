"""The function under lowering: what each Fly value became, and the way back to SSA where an operation survives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from xdsl.ir import Attribute, Block, Operation, SSAValue

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import (
    AddOffsetOp,
    ApplySwizzleOp,
    MakeIntTupleOp,
    MakeLayoutOp,
    MakeTiledCopyOp,
    MakeTiledMmaOp,
    MakeViewOp,
    RecastIterOp,
)
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.fly.types import (
    CoordTensorType,
    IntTupleType,
    LayoutType,
    PayloadType,
    PointerType,
    TiledCopyType,
    TiledMmaType,
    is_static,
    payload_type,
)
from flydsl.passes.layout_lowering.tensor_values import (
    Pointer,
    Tiled,
    View,
    offset_type,
    plain_layout,
    plain_tuple,
    view_type,
)
from flydsl.passes.layout_lowering.values import LazyArithBuilder
from flydsl.passes.normal_form import static_value
from flydsl.passes.rewriting import create, operands_of, replace_uses, set_operand


class FunctionLowering:
    """Values of one function. Lowering functions read operands with `value` and record results with `set`."""

    def __init__(self, entry: Block, *, exact: bool = False) -> None:
        self.emitter = LazyArithBuilder(entry, exact=exact)
        self.values: dict[SSAValue, Any] = {}
        self.lowered: list[Operation] = []

    def value(self, ssa: SSAValue) -> Any:
        """What an operand became: a layout value, a `Pointer` or a `View`."""
        found = self.values.get(ssa)
        if found is not None:
            return found
        type_ = ssa.type
        if isinstance(type_, PointerType):
            found = Pointer(ssa)
        elif isinstance(type_, PayloadType) and is_static(type_):
            found = type_.value
        elif isinstance(type_, CoordTensorType) and is_static(type_):
            found = View(type_.base, type_.layout)
        else:
            raise IRError(f"a value of type {type_} has no definition to lower: run fly-rewrite-func-signature first")
        self.values[ssa] = found
        return found

    def operands(self, op: Operation) -> list[Any]:
        """What every operand became."""
        return [self.value(operand) for operand in operands_of(op)]

    def set(self, op: Operation, value: Any) -> None:
        """Record what the only result of `op` became; `op` goes away."""
        self.values[op.results[0]] = value
        self.lowered.append(op)

    def replace(self, op: Operation, ssa: SSAValue | None = None) -> None:
        """Let `ssa` take the place of the result of `op`, which goes away."""
        if ssa is not None:
            replace_uses(op.results[0], ssa)
        self.lowered.append(op)

    def keep(self, op: Operation) -> None:
        """Let `op` stay, on materialised operands; operations of other dialects find the operand types they know."""
        exact = not isinstance(op, FlyOp)
        for index, operand in enumerate(operands_of(op)):
            value = self.values.get(operand)
            if value is not None and not (type(value) is Pointer and value.base is operand):
                set_operand(op, index, self.ssa(value, operand.type if exact else None))

    def ssa(self, value: Any, wanted: Attribute | None = None) -> SSAValue:
        """The SSA value of a value, at the current place; a pointer gets the type `wanted`."""
        if isinstance(value, Pointer):
            return self.pointer(value, wanted)
        if isinstance(value, View):
            return self.view(value)
        if isinstance(value, Tiled):
            return self.tiled(value)
        if isinstance(value, fl.Layout):
            return self.layout(value)
        if isinstance(value, fl.ComposedLayout | fl.Tile):
            if not value.is_static:
                raise IRError(f"{plain_layout(value)} cannot be an operand of an operation that survives the lowering")
            return self.static(payload_type(value))
        return self.int_tuple(value) if isinstance(value, int | fl.Dyn | tuple) else self.static(payload_type(value))

    def static(self, type_: Attribute) -> SSAValue:
        """The value of a static type, in normal form."""
        key = ("static", type_)
        found = self.emitter.known.get(key)
        if found is None:
            found = static_value(type_, self._made)
            self.emitter.remember(key, found)
        return found

    def int_tuple(self, value: Any) -> SSAValue:
        """`fly.make_int_tuple` of the dynamic leaves."""
        if type(value) is int:
            return self.static(_static_offset(value))
        parts = fl.leaves(value)
        type_ = IntTupleType(plain_tuple(value))
        return self._made(MakeIntTupleOp, [self.emitter.value(part) for part in parts], type_)

    def layout(self, value: fl.Layout) -> SSAValue:
        """`fly.make_layout` of two int tuples."""
        static = _static_layout(value) if value.is_plain else None
        if static is not None:
            return self.static(static)
        type_ = LayoutType(plain_layout(value))
        return self._made(MakeLayoutOp, [self.int_tuple(value.shape), self.int_tuple(value.stride)], type_)

    def pointer(self, value: Pointer, wanted: Attribute | None = None) -> SSAValue:
        """The pointer after its offsets, with type `wanted` (a weaker promise) where that is given."""
        key = (Pointer, value, wanted)
        found = self.emitter.known.get(key)
        if found is None:
            found = self._make_pointer(value, wanted)
            self.emitter.remember(key, found)
        return found

    def view(self, value: View) -> SSAValue:
        """`fly.make_view` of the pointer and the layout."""
        key = (View, id(value))
        known = self.emitter.known.get(key)
        if known is None:
            pointer, layout = self.pointer(value.pointer), self.ssa(value.layout)
            type_ = view_type(pointer.type, value.layout)  # type: ignore[arg-type]
            known = self._made(MakeViewOp, [pointer, layout], type_), value  # which keeps its identity
            self.emitter.remember(key, known)
        return known[0]

    def tiled(self, value: Tiled) -> SSAValue:
        """`fly.make_tiled_copy` or `fly.make_tiled_mma` of the atom, whose state control flow carries."""
        type_ = value.type
        assert isinstance(type_, TiledCopyType | TiledMmaType)
        if isinstance(type_, TiledCopyType):
            return self._made(MakeTiledCopyOp, [value.atom, *map(self.static, (type_.layout_tv, type_.tile))], type_)
        parts = [type_.atom_layout] if type_.perm is None else [type_.atom_layout, type_.perm]
        return self._made(MakeTiledMmaOp, [value.atom, *map(self.static, parts)], type_)

    def create(
        self, op_class: type[Operation], operands: Sequence[SSAValue], results: Sequence[Attribute] = (), **extra: Any
    ) -> Operation:
        """Insert an operation that survives."""
        return self.emitter.insert(create(op_class, operands, results, **extra))

    def _made(self, op_class: type[Operation], operands: Sequence[SSAValue], type_: Attribute) -> SSAValue:
        key = (op_class, type_, *operands)
        found = self.emitter.known.get(key)
        if found is None:
            (found,) = self.create(op_class, operands, [type_]).results
            self.emitter.remember(key, found)
        return found

    def _make_pointer(self, value: Pointer, wanted: Attribute | None) -> SSAValue:
        found = value.base
        if value.swizzle is not None and value.swizzle != found.type.swizzle:  # type: ignore[attr-defined]
            type_ = Pointer(found, swizzle=value.swizzle).type
            found = self._made(ApplySwizzleOp, [found, self.ssa(value.swizzle)], type_)
        for offset in (value.dynamic, value.static):
            if offset != 0:
                type_ = offset_type(found.type, offset)  # type: ignore[arg-type]
                found = self._made(AddOffsetOp, [found, self.int_tuple(offset)], type_)
        if wanted is not None and wanted != found.type:
            return self._made(RecastIterOp, [found], wanted)
        return found


@lru_cache(maxsize=1024)
def _static_layout(value: fl.Layout) -> LayoutType | None:
    """The type of a layout that is static; None for others."""
    return LayoutType(value) if value.is_static else None


@lru_cache(maxsize=1024)
def _static_offset(value: int) -> IntTupleType:
    return IntTupleType(value)
