"""The pass `fly-promote-regmem-to-vectorssa`: register allocations become vectors that control flow carries.

An allocation becomes one vector for each run of registers that is always accessed as a whole. Loads read the current
vectors, stores make the next ones; `scf.if`, `scf.for` and `scf.while` get an extra result or loop-carried value for
each vector written inside. Allocations reached through a recast, a dynamic offset or an operation that wants the
pointer stay in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.context import Context
from xdsl.dialects import scf, ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import IRError
from flydsl.ir.fly import PtrLoadOp, PtrStoreOp
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.types import MemRefType, PointerType
from flydsl.passes.canonicalize import erase_dead
from flydsl.passes.registers.accesses import Part, RegisterAccesses
from flydsl.passes.registers.vectors import count_of, joined, split
from flydsl.passes.rewriting import (
    block_ops,
    create,
    erase,
    functions,
    insert_before,
    operands_of,
    replace,
    set_operands,
    walk,
)

State = dict[Part, SSAValue]


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
    """Rewrites a function; a state maps each part of an allocation to its value at the current place."""

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
        if (found := self.accesses.place(operands_of(op)[0])) is not None:
            allocation, start = found
            type_ = op.results[0].type
            parts = allocation.cover(start, count_of(type_))
            replace(op, [joined([_current(state, part, op) for part in parts], allocation.element, type_, op)])

    def _store(self, op: PtrStoreOp, state: State) -> None:
        value, pointer = operands_of(op)
        if (found := self.accesses.place(pointer)) is not None:
            allocation, start = found
            parts = allocation.cover(start, count_of(value.type))
            state.update(zip(parts, split(value, [part.type for part in parts], allocation.element, op), strict=True))
            erase(op)

    def _if(self, op: scf.IfOp, state: State) -> None:
        written = self.accesses.written[op]
        for part in written:
            _current(state, part, op)
        for region in op.regions:
            if written and not region.blocks:
                region.add_block(Block([create(scf.YieldOp, location=op.location)]))
            inner = dict(state)
            for block in region.blocks:
                self.block(block, inner)
                _extend(block, (inner[part] for part in written))
        self._rebuilt(op, [], state)

    def _loop(self, op: scf.ForOp | scf.WhileOp, state: State) -> None:
        written = self.accesses.written[op]
        inits = [_current(state, part, op) for part in written]
        for region in op.regions:
            self._body(region.block, written, state)
        self._rebuilt(op, inits, state)

    def _body(self, block: Block, written: Iterable[Part], state: State) -> None:
        """Rewrite a region that gets the values of `written` as arguments and passes them on at its end."""
        inner = dict(state)
        for part in written:
            inner[part] = block.insert_arg(part.type, len(block.args))
        self.block(block, inner)
        _extend(block, (inner[part] for part in written))

    def _rebuilt(self, op: Operation, inits: list[SSAValue], state: State) -> None:
        """Make `op` again with the extra operands and results."""
        written = self.accesses.written[op]
        if not written:
            return
        new = create(
            type(op),
            operands=[*operands_of(op), *inits],
            result_types=[*(result.type for result in op.results), *(part.type for part in written)],
            attributes=op.attributes,
            properties=op.properties,
            regions=[op.detach_region(region) for region in tuple(op.regions)],
            location=op.location,
        )
        insert_before(new, op)
        count = len(op.results)
        replace(op, new.results[:count])
        for part, result in zip(written, new.results[count:], strict=True):
            state[part] = result


def _extend(block: Block, values: Iterable[SSAValue]) -> None:
    """Let the terminator pass on more values."""
    last = block.last_op
    assert last is not None
    set_operands(last, [*operands_of(last), *values])


def _current(state: State, part: Part, at: Operation) -> SSAValue:
    """The value at `at`; undefined before the first store."""
    found = state.get(part)
    if found is None:
        properties = {"value": ub.PoisonAttr()}
        poison = create(ub.PoisonOp, (), (part.type,), properties=properties, location=at.location)
        insert_before(poison, at)
        found = state[part] = poison.results[0]
    return found


def _check_no_registers(function: Operation) -> None:
    for op in walk(function):
        for result in op.results:
            if isinstance(result.type, PointerType | MemRefType) and result.type.space == REGISTER:
                message = f"{op.name} still has the register result {result.type}, but every allocation was promoted"
                raise IRError(message)


_HANDLERS: Mapping[type[Operation], Callable[[_Promotion, Any, State], None]] = {
    PtrLoadOp: _Promotion._load,
    PtrStoreOp: _Promotion._store,
    scf.IfOp: _Promotion._if,
    scf.ForOp: _Promotion._loop,
    scf.WhileOp: _Promotion._loop,
}
