"""Operations of the layout algebra and on int tuples: evaluated on values, by the functions that infer their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation, SSAValue

import flydsl.layout as fl
from flydsl.ir.fly import (
    AssumeOp,
    GetLeavesOp,
    GetScalarOp,
    MakeCoordOp,
    MakeIntTupleOp,
    MakeShapeOp,
    MakeStrideOp,
    StaticOp,
)
from flydsl.ir.fly.infer import evaluate
from flydsl.ir.fly.types import (
    CoordTensorType,
    CopyAtomType,
    IntTupleType,
    MmaAtomType,
    PayloadType,
    PointerType,
    is_static,
)
from flydsl.passes.layout_lowering.function_lowering import FunctionLowering
from flydsl.passes.layout_lowering.tensor_values import View, single
from flydsl.passes.rewriting import operands_of, replace_uses

Handler = Callable[[FunctionLowering, Any], None]


def lower_algebra(program: FunctionLowering, op: Operation) -> None:
    """An operation of the `ALGEBRA` table on int tuples, layouts and tiles, or on the layout of a tensor."""
    type_ = op.results[0].type
    if isinstance(type_, PayloadType) and is_static(type_):
        program.set(op, type_.value)
        return
    values = [value.layout if type(value) is View else value for value in program.operands(op)]
    attributes = {**op.properties, **op.attributes}
    result = evaluate(op.name, values, attributes)
    if op.name in _PREDICATES:
        program.replace(op, program.emitter.value(result, 1))
    else:
        program.set(op, result)


def _static(program: FunctionLowering, op: StaticOp) -> None:
    type_ = op.results[0].type
    if isinstance(type_, PayloadType):
        program.set(op, type_.value)
    elif isinstance(type_, CoordTensorType):
        program.set(op, View(type_.base, type_.layout))
    elif not isinstance(type_, CopyAtomType | MmaAtomType):
        program.lowered.append(op)


def _make_tuple(program: FunctionLowering, op: Operation) -> None:
    type_ = op.results[0].type
    assert isinstance(type_, IntTupleType)
    operands = iter(operands_of(op))

    def leaf(leaf: fl.Dyn) -> fl.Dyn:
        return program.emitter.wrap(_as_wide(program, next(operands), leaf.width), leaf.div)

    program.set(op, _filled(type_.value, leaf))


def _as_wide(program: FunctionLowering, value: SSAValue, width: int) -> SSAValue:
    """The integer with the width of its leaf."""
    assert isinstance(value.type, IntegerType)
    given = value.type.width.data
    if given == width:
        return value
    return program.create(arith.ExtSIOp if given < width else arith.TruncIOp, [value], [IntegerType(width)]).results[0]


def _filled(value: Any, wrap: Callable[[fl.Dyn], fl.Dyn]) -> Any:
    if isinstance(value, tuple):
        return tuple([_filled(part, wrap) for part in value])
    if isinstance(value, fl.Basis):
        return fl.Basis(_filled(value.value, wrap), value.path)
    return wrap(value) if isinstance(value, fl.Dyn) else value


def _get_scalar(program: FunctionLowering, op: GetScalarOp) -> None:
    if op.results[0].first_use is not None:
        type_ = op.results[0].type
        assert isinstance(type_, IntegerType)
        program.replace(op, program.emitter.value(single(program.value(op.input)), type_.width.data))
    else:
        program.replace(op)


def _get_leaves(program: FunctionLowering, op: GetLeavesOp) -> None:
    value = program.value(op.input)
    flat = fl.flatten(value)
    parts = fl.leaves(value) if op.dynamic_only else flat if isinstance(flat, tuple) else (flat,)
    for part, result in zip(parts, op.results, strict=True):
        if result.first_use is not None:
            assert isinstance(result.type, IntegerType)
            replace_uses(result, program.emitter.value(part, result.type.width.data))
    program.lowered.append(op)


def _assume(program: FunctionLowering, op: AssumeOp) -> None:
    """The source with the promises of the result's type."""
    type_, source = op.results[0].type, op.src
    if isinstance(type_, IntTupleType):
        parts = iter(fl.leaves(program.value(source)))
        emitter = program.emitter
        program.set(
            op, _filled(type_.value, lambda leaf: emitter.wrap(emitter.value(next(parts), leaf.width), leaf.div))
        )
    elif isinstance(type_, PointerType):
        program.set(op, program.value(program.pointer(program.value(source), type_)))
    else:
        program.replace(op, source)


_PREDICATES = frozenset({"fly.elem_less", "fly.equal"})
HANDLERS: Mapping[type[Operation], Handler] = {
    StaticOp: _static,
    MakeIntTupleOp: _make_tuple,
    MakeShapeOp: _make_tuple,
    MakeStrideOp: _make_tuple,
    MakeCoordOp: _make_tuple,
    GetScalarOp: _get_scalar,
    GetLeavesOp: _get_leaves,
    AssumeOp: _assume,
}
