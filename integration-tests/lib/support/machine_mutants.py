"""Wrong machines: lost stores, stale loads, ignored barriers, updates that vanish, wrong lanes and loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from xdsl.ir import Operation

from flydsl.ir.interpret import program, schedule
from flydsl.ir.interpret.handler import Action, Handler
from flydsl.ir.interpret.interpreter import HANDLERS

Wrapped = Callable[..., Any]
"""(action, count, kept, thread, *operands) -> what the machine does: `count` from 1, and a dict of the mutant's."""
Patches = Sequence[tuple[Any, str, Any]]
"""An object or a dict, the name of what is replaced there, and by what."""


@dataclass
class MachineMutant:
    """A wrong machine; `changed` counts how often it came into play."""

    name: str
    operation: str = ""
    wrapped: Wrapped | None = None
    patches: Callable[[MachineMutant], Patches] = lambda mutant: ()
    changed: int = field(default=0, compare=False)
    kept: dict[Any, Any] = field(default_factory=dict, compare=False)

    def handlers(self) -> dict[str, Handler]:
        """Those of the interpreter with this change."""
        return {**HANDLERS, self.operation: self._handle} if self.wrapped is not None else dict(HANDLERS)

    def _handle(self, op: Operation) -> Action:
        action, wrapped = HANDLERS[op.name](op), self.wrapped
        assert wrapped is not None

        def wrong(thread: Any, *operands: Any) -> Any:
            self.changed += 1
            return wrapped(action, self.changed, self.kept, thread, *operands)

        return wrong

    def enter(self, stack: ExitStack) -> None:
        """Put what is wrong in place, until the stack is closed."""
        for owner, name, value in self.patches(self):
            mended = patch.dict(owner, {name: value}) if isinstance(owner, dict) else patch.object(owner, name, value)
            stack.enter_context(mended)

    def note(self) -> None:
        """It came into play once more."""
        self.changed += 1


def _some_lost(action: Action, count: int, kept: Any, thread: Any, *operands: Any) -> Any:
    return None if count % 5 == 0 else action(thread, *operands)


def _first_stays(action: Action, count: int, kept: Any, thread: Any, value: Any, address: Any) -> Any:
    key = thread, address.byte
    return None if kept.setdefault(key, count) != count else action(thread, value, address)


def _stale(action: Action, count: int, kept: Any, thread: Any, address: Any) -> Any:
    key = thread, address.byte, id(address.memory)
    return kept.setdefault(key, action(thread, address))


def _neighbour(action: Action, count: int, kept: Any, thread: Any, value: Any, address: Any) -> Any:
    return action(thread, value, address.moved(1)) if count % 7 == 0 else action(thread, value, address)


def _update_lost(action: Action, count: int, kept: Any, thread: Any, address: Any, value: Any) -> Any:
    if count % 7:
        return action(thread, address, value)
    return address.load(address.element)


def _new_value(action: Action, count: int, kept: Any, thread: Any, address: Any, value: Any) -> Any:
    action(thread, address, value)
    return address.load(address.element)


def _always_replaces(action: Action, count: int, kept: Any, thread: Any, address: Any, expected: Any, new: Any) -> Any:
    return action(thread, address, address.load(address.element), new)


def _says_replaced(action: Action, count: int, kept: Any, thread: Any, address: Any, expected: Any, new: Any) -> Any:
    old, _ = action(thread, address, expected, new)
    return [expected, 1] if old is not None else [old, 1]


def _control(name: str, write: Callable[[MachineMutant, Any, Operation], None]) -> Callable[[MachineMutant], Patches]:
    """Another way to write an operation with regions, or one at which threads wait."""
    table: Any = program._CONTROL
    return lambda mutant: [(table, name, lambda writer, op: write(mutant, writer, op))]


def _no_barrier(mutant: MachineMutant, writer: Any, op: Operation) -> None:
    mutant.note()


def _condition(text: str) -> Callable[[MachineMutant, Any, Operation], None]:
    """Branches on another condition, `{c}` being the right one."""

    def write(mutant: MachineMutant, writer: Any, op: Operation) -> None:
        mutant.note()
        right = writer._variables[op.operands[0]]
        writer._variables[op.operands[0]] = text.format(c=right)
        try:
            _IF(writer, op)
        finally:
            writer._variables[op.operands[0]] = right

    return write


_IF = program._CONTROL["scf.if"]


def _one_turn(mutant: MachineMutant, writer: Any, op: Operation) -> None:
    mutant.note()
    before = len(writer.lines)
    program._while(writer, op)
    for index in range(before, len(writer.lines)):
        writer.lines[index] = writer.lines[index].replace("while True:", "for _ in range(6):")


def _bounds(change: Callable[[range], range]) -> Callable[[MachineMutant], Patches]:
    right = program._bounds

    def make(mutant: MachineMutant) -> Patches:
        def bounds(lower: Any, upper: Any, step: Any) -> range:
            turns = right(lower, upper, step)
            mutant.changed += change(turns) != turns
            return change(turns)

        return [(program, "_bounds", bounds)]

    return make


def _lanes(change: Callable[[int, int, int], int]) -> Callable[[MachineMutant], Patches]:
    right = schedule._source

    def make(mutant: MachineMutant) -> Patches:
        def source(op: Operation, lane: int, offset: int, width: int) -> int:
            mutant.note()
            return change(right(op, lane, offset, width), lane, width)

        return [(schedule, "_source", source)]

    return make


def machine_mutants() -> list[MachineMutant]:
    """All of them."""
    return [
        MachineMutant("every fifth store is lost", "fly.ptr.store", _some_lost),
        MachineMutant("the first store of a thread to a place stays", "fly.ptr.store", _first_stays),
        MachineMutant("every seventh store goes to the next place", "fly.ptr.store", _neighbour),
        MachineMutant("a load gives what the thread read there before", "fly.ptr.load", _stale),
        MachineMutant("every fifth copy is lost", "fly.copy_atom_call_ssa", _some_lost),
        MachineMutant("every seventh atomic update is lost", "llvm.atomicrmw", _update_lost),
        MachineMutant("an atomic update gives the new value", "llvm.atomicrmw", _new_value),
        MachineMutant("compare and exchange always replaces", "llvm.cmpxchg", _always_replaces),
        MachineMutant("compare and exchange always says that it did", "llvm.cmpxchg", _says_replaced),
        MachineMutant("barriers are ignored", patches=_control("gpu.barrier", _no_barrier)),
        MachineMutant("branches go the other way", patches=_control("scf.if", _condition("(not {c})"))),
        MachineMutant("branches are always taken", patches=_control("scf.if", _condition("({c} or 1)"))),
        MachineMutant("branches are never taken", patches=_control("scf.if", _condition("({c} and 0)"))),
        MachineMutant("a while loop ends after six turns", patches=_control("scf.while", _one_turn)),
        MachineMutant("a loop leaves out its last turn", patches=_bounds(lambda turns: turns[:-1])),
        MachineMutant("a loop leaves out its first turn", patches=_bounds(lambda turns: turns[1:])),
        MachineMutant(
            "a loop turns at least once", patches=_bounds(lambda turns: turns or range(turns.start, turns.start + 1))
        ),
        MachineMutant("loops go by steps of one", patches=_bounds(lambda turns: range(turns.start, turns.stop))),
        MachineMutant("a shuffle gives a lane its own number", patches=_lanes(lambda source, lane, width: lane)),
        MachineMutant("a shuffle is off by one lane", patches=_lanes(lambda source, lane, width: source + 1)),
        MachineMutant("a shuffle wraps around its group", patches=_lanes(lambda source, lane, width: source % width)),
    ]
