"""Register allocations in, SSA values out: each becomes one vector, threaded through structured control flow.

A load becomes an extract of the current vector, a store an insert that makes the next one; `scf.if`, `scf.for` and
`scf.while` get an extra result or loop-carried value for each allocation written inside. Allocations reached through a
recast, a dynamic offset or an operation that wants the pointer stay in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import arith, scf, ub, vector
from xdsl.dialects.builtin import ModuleOp, VectorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import IRError
from flydsl.ir.fly import PtrLoadOp, PtrStoreOp
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.types import MemRefType, PointerType
from flydsl.ir.upstream import OPERATIONS
from flydsl.passes.cached_attributes import position, slice_places, vector_of
from flydsl.passes.canonicalize import erase_dead
from flydsl.passes.registers.accesses import Allocation, RegisterAccesses
from flydsl.passes.rewriting import block_ops, erase, functions, insert_before, operands_of, replace

__all__ = ["FlyPromoteRegMemToVectorSSA"]

ExtractSlice = OPERATIONS["vector.extract_strided_slice"]
InsertSlice = OPERATIONS["vector.insert_strided_slice"]
FromElements = OPERATIONS["vector.from_elements"]

State = dict[Allocation, SSAValue]


@dataclass(frozen=True)
class FlyPromoteRegMemToVectorSSA(ModulePass):
    """Turn register memory into SSA values."""

    name: ClassVar[str] = "fly-promote-regmem-to-vectorssa"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            accesses = RegisterAccesses.of(function)
            if accesses.allocations:
                promotion = _Promotion(accesses)
                for block in function.regions[0].blocks:
                    promotion.block(block, {})
            erase_dead(function.regions[0])
            if all(allocation.promoted for allocation in accesses.allocations.values()):
                _check_no_registers(function)


class _Promotion:
    """Rewrites a function; a state maps each allocation to its value at the current place."""

    def __init__(self, accesses: RegisterAccesses) -> None:
        self.accesses = accesses

    def block(self, block: Block, state: State) -> None:
        for op in block_ops(block):
            handler = _HANDLERS.get(type(op))
            if handler is not None:
                handler(self, op, state)
            else:
                for region in op.regions:
                    for inner in region.blocks:
                        self.block(inner, {})

    def _load(self, op: PtrLoadOp, state: State) -> None:
        found = self.accesses.pointers.get(operands_of(op)[0])
        if found is not None and found[0].promoted:
            replace(op, [_extract(_current(state, found[0], op), found[0], found[1], op)])

    def _store(self, op: PtrStoreOp, state: State) -> None:
        value, pointer = operands_of(op)
        found = self.accesses.pointers.get(pointer)
        if found is not None and found[0].promoted:
            state[found[0]] = _inserted(value, state, found[0], found[1], op)
            erase(op)

    def _if(self, op: scf.IfOp, state: State) -> None:
        written = self.accesses.written[op]
        for allocation in written:
            _current(state, allocation, op)
        for region in op.regions:
            if written and not region.blocks:
                region.add_block(Block([scf.YieldOp.create(location=op.location)]))
            inner = dict(state)
            for block in region.blocks:
                self.block(block, inner)
                _extend(block, (inner[allocation] for allocation in written))
        self._rebuilt(op, [], state)

    def _loop(self, op: scf.ForOp | scf.WhileOp, state: State) -> None:
        written = self.accesses.written[op]
        inits = [_current(state, allocation, op) for allocation in written]
        for region in op.regions:
            self._body(region.block, written, state)
        self._rebuilt(op, inits, state)

    def _body(self, block: Block, written: Iterable[Allocation], state: State) -> None:
        """Rewrite a region that gets the values of `written` as arguments and passes them on at its end."""
        inner = dict(state)
        for allocation in written:
            inner[allocation] = block.insert_arg(allocation.type, len(block.args))
        self.block(block, inner)
        _extend(block, (inner[allocation] for allocation in written))

    def _rebuilt(self, op: Operation, inits: list[SSAValue], state: State) -> None:
        """Make `op` again with the extra operands and results."""
        written = self.accesses.written[op]
        if not written:
            return
        new = type(op).create(
            operands=[*operands_of(op), *inits],
            result_types=[*(result.type for result in op.results), *(allocation.type for allocation in written)],
            attributes=op.attributes,
            properties=op.properties,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
            location=op.location,
        )
        insert_before(new, op)
        count = len(op.results)
        replace(op, new.results[:count])
        for allocation, result in zip(written, new.results[count:], strict=True):
            state[allocation] = result


def _extend(block: Block, values: Iterable[SSAValue]) -> None:
    """Let the terminator pass on more values."""
    last = block.last_op
    assert last is not None
    last.operands = [*operands_of(last), *values]


def _current(state: State, allocation: Allocation, at: Operation) -> SSAValue:
    """The value at `at`; undefined before the first store."""
    found = state.get(allocation)
    if found is None:
        poison = ub.PoisonOp.create(
            result_types=[allocation.type], properties={"value": ub.PoisonAttr()}, location=at.location
        )
        insert_before(poison, at)
        found = state[allocation] = poison.results[0]
    return found


def _extract(value: SSAValue, allocation: Allocation, offset: int, at: Operation) -> SSAValue:
    wanted, element = at.results[0].type, allocation.element
    count = wanted.element_count() if type(wanted) is VectorType else 0
    if allocation.count > 1 and not count:
        value = _made(vector.ExtractOp, [value], element, at, {"static_position": position(offset)})
    elif allocation.count == 1 and count:
        value = _made(FromElements, [value], vector_of(element, 1), at, {})
    elif count and count != allocation.count:
        value = _made(ExtractSlice, [value], vector_of(element, count), at, slice_places(offset, count))
    return _cast(value, wanted, at)


def _inserted(value: SSAValue, state: State, allocation: Allocation, offset: int, at: Operation) -> SSAValue:
    type_, element = value.type, allocation.element
    count = type_.element_count() if type(type_) is VectorType else 0
    value = _cast(value, vector_of(element, count) if count else element, at)
    if count == allocation.count and count > 1:
        return value
    if allocation.count == 1:
        return _made(vector.ExtractOp, [value], element, at, {"static_position": position(0)}) if count else value
    operands = [value, _current(state, allocation, at)]
    if count:
        return _made(InsertSlice, operands, allocation.type, at, slice_places(offset))
    return _made(vector.InsertOp, operands, allocation.type, at, {"static_position": position(offset)})


def _cast(value: SSAValue, type_: Attribute, at: Operation) -> SSAValue:
    """The same bits as an element type of equal width."""
    if value.type == type_:
        return value
    if type(value.type) is VectorType and len(value.type.shape) != 1:
        value = _made(OPERATIONS["vector.shape_cast"], [value], type_, at, {})
    return value if value.type == type_ else _made(arith.BitcastOp, [value], type_, at, {})


def _made(
    op_class: type[Operation],
    operands: list[SSAValue],
    type_: Attribute,
    at: Operation,
    properties: Mapping[str, Attribute],
) -> SSAValue:
    op = op_class.create(operands=operands, result_types=[type_], properties=properties, location=at.location)
    insert_before(op, at)
    return op.results[0]


def _check_no_registers(function: Operation) -> None:
    for op in function.walk():
        for result in op.results:
            if isinstance(result.type, PointerType | MemRefType) and result.type.space == REGISTER:
                raise IRError(
                    f"{op.name} still has a register result {result.type} although every allocation was promoted"
                )


_HANDLERS: Mapping[type[Operation], Callable[[_Promotion, Any, State], None]] = {
    PtrLoadOp: _Promotion._load,
    PtrStoreOp: _Promotion._store,
    scf.IfOp: _Promotion._if,
    scf.ForOp: _Promotion._loop,
    scf.WhileOp: _Promotion._loop,
}
