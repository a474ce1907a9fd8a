"""The pass `fly-convert-atom-call-to-ssa-form`: atom calls on contiguous registers become calls on SSA values.

Register sources are loaded before the call and register results stored after it, so that
`fly-promote-regmem-to-vectorssa` can remove the memory in between. Floats narrower than 16 bits travel as integers of
their width.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

import flydsl.layout as fl
from flydsl.ir.effects import is_pure
from flydsl.ir.fly import (
    CopyAtomCallOp,
    CopyAtomCallSsaOp,
    MakeViewOp,
    MmaAtomCallOp,
    MmaAtomCallSsaOp,
    PtrLoadOp,
    PtrStoreOp,
)
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.syntax import SEGMENTS
from flydsl.ir.fly.types import MemRefType
from flydsl.passes.cached_attributes import segments, vector_of
from flydsl.passes.registers.storage import storage_type
from flydsl.passes.rewriting import block_ops, create, erase, functions, insert_before, operands_of, operations
from flydsl.passes.switch import switch

if TYPE_CHECKING:
    from flydsl.passes.registers.store_to_load_forwarding import StoreToLoadForwarding


@dataclass(frozen=True)
class FlyConvertAtomCallToSSAForm(ModulePass):
    """Give atom calls SSA operands and results in place of register tensors.

    With `share=true`, MMA calls with nothing but pure operations in between read the same registers once and write
    them once, which leaves fewer operations to the next passes.
    """

    name: ClassVar[str] = "fly-convert-atom-call-to-ssa-form"
    share: str = "false"

    def __post_init__(self) -> None:
        switch(self.name, "share", self.share)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        shares = switch(self.name, "share", self.share)
        for function in functions(op):
            calls = operations(function, (CopyAtomCallOp.name, MmaAtomCallOp.name))
            multiplying = {call.parent for call in calls if type(call) is MmaAtomCallOp}
            for block in dict.fromkeys(call.parent for call in calls):
                assert block is not None
                _convert_block(block, _no_values() if shares and block in multiplying else None)


def _no_values() -> StoreToLoadForwarding:
    from flydsl.passes.registers.store_to_load_forwarding import (
        StoreToLoadForwarding,  # not for kernels without products
    )

    return StoreToLoadForwarding()


def _convert_block(block: Block, held: StoreToLoadForwarding | None) -> None:
    for op in block_ops(block):
        kind = type(op)
        if held and kind is MmaAtomCallOp and op is not block.last_op and (pointers := _registers_of(op)):
            _convert_shared_mma(op, pointers, held)
            continue
        if held and not is_pure(op):
            held.release(op)
        if isinstance(op, MmaAtomCallOp):
            _convert_mma(op)
        elif isinstance(op, CopyAtomCallOp):
            _convert_copy(op)


def _registers_of(op: Operation) -> list[SSAValue | None]:
    """The pointers of d, a, b and c, None for one that is not in registers; none at all unless values can stand for
    all that are."""
    operands = operands_of(op)[1:]
    pointers = [_register(operand) for operand in operands]
    for operand, pointer in zip(operands, pointers, strict=True):
        if pointer is None and (
            operand is operands[0] or (isinstance(operand.type, MemRefType) and operand.type.space == REGISTER)
        ):
            return []
    return pointers


def _convert_shared_mma(op: Operation, pointers: list[SSAValue | None], held: StoreToLoadForwarding) -> None:
    atom, d, *inputs = operands_of(op)
    target, *sources = pointers
    assert target is not None
    values = [
        operand if pointer is None else held.load(pointer, _value_type(operand), op)
        for operand, pointer in zip(inputs, sources, strict=True)
    ]
    call = _insert(MmaAtomCallSsaOp, op, [atom, *values], [_value_type(d)])
    held.store(call.results[0], target, op)
    erase(op)


def _convert_copy(op: CopyAtomCallOp) -> None:
    atom, src, dst, *rest = operands_of(op)
    target = _register(dst)
    value = _loaded(src, op)
    pred = [_loaded(operand, op) for operand in rest]
    if target is None and value is src and pred == rest:
        return
    if target is None:
        _copy(op, [[atom], [value], [dst], pred], [])
    else:
        old = [_loaded(dst, op)] if pred else []
        call = _copy(op, [[atom], [value], old, pred], [_value_type(dst)])
        _insert(PtrStoreOp, op, [call.results[0], target], [])
    erase(op)


def _convert_mma(op: MmaAtomCallOp) -> None:
    atom, d, *inputs = operands_of(op)
    target = _register(d)
    values = [_loaded(operand, op) for operand in inputs]
    if target is None and values == inputs:
        return
    if target is None:
        _insert(MmaAtomCallSsaOp, op, [atom, *values, d], [])
    else:
        call = _insert(MmaAtomCallSsaOp, op, [atom, *values], [_value_type(d)])
        _insert(PtrStoreOp, op, [call.results[0], target], [])
    erase(op)


def _copy(at: Operation, operands: list[list[SSAValue]], results: list[Attribute]) -> Operation:
    call = create(
        CopyAtomCallSsaOp,
        operands=[value for group in operands for value in group],
        result_types=results,
        attributes={SEGMENTS: segments(*[len(group) for group in operands])},
        location=at.location,
    )
    insert_before(call, at)
    return call


def _insert(op_class: type[Operation], at: Operation, operands: list[SSAValue], results: list[Attribute]) -> Operation:
    op = create(op_class, operands, results, location=at.location)
    insert_before(op, at)
    return op


def _loaded(view: SSAValue, at: Operation) -> SSAValue:
    """The elements of a run of registers as a value; any other operand as it is."""
    pointer = _register(view)
    return view if pointer is None else _insert(PtrLoadOp, at, [pointer], [_value_type(view)]).results[0]


def _register(view: SSAValue) -> SSAValue | None:
    """The pointer of a tensor that is a contiguous run of registers."""
    owner = view.owner
    if isinstance(view.type, MemRefType) and isinstance(owner, MakeViewOp) and _run_length(view.type):
        return operands_of(owner)[0]
    return None


def _value_type(view: SSAValue) -> Attribute:
    assert isinstance(view.type, MemRefType)
    return _run_type(view.type)


@lru_cache(maxsize=4096)
def _run_length(type_: MemRefType) -> int:
    """Number of elements of a contiguous run of registers, 0 for any other tensor."""
    if type_.space != REGISTER or type_.swizzle is not None or not isinstance(type_.layout, fl.Layout):
        return 0
    if not type_.layout.is_static:
        return 0
    plain = fl.coalesce(type_.layout)
    if isinstance(plain.shape, tuple) or (plain.shape != 1 and plain.stride != 1):
        return 0
    assert isinstance(plain.shape, int)
    return plain.shape


@lru_cache(maxsize=4096)
def _run_type(type_: MemRefType) -> Attribute:
    count, element = _run_length(type_), storage_type(type_.element)
    return element if count == 1 else vector_of(element, count)
