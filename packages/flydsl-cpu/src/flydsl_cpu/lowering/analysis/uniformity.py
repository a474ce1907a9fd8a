"""Uniformity analysis: which values are the same for all threads of a block.

Three degrees: UNIFORM values are computed from parameters, block ids and constants; ASSUMED values come from memory
or from an exchange between threads and may be equal; DIVERGENT values are computed from thread ids, so control flow
on them splits the block.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from functools import cache

from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.rewriting import block_ops, operands_of, walk
from flydsl_cpu.dialect import AgreedOp
from flydsl_cpu.lowering.analysis.operations import ATOMIC, SYNC, THREAD_VARYING, is_pure_itself


class Degree(IntEnum):
    """How a value may differ between the threads of a block."""

    UNIFORM = 0
    ASSUMED = 1
    DIVERGENT = 2


class Uniformity:
    """The degree of every value at block scope: in the function body and in regions that hold a synchronisation."""

    __slots__ = ("_changed", "_degrees", "_hoisted")

    def __init__(self, body: Block, hoisted: frozenset[Operation]) -> None:
        self._hoisted = hoisted
        self._degrees: dict[SSAValue, Degree] = dict.fromkeys(body.args, Degree.UNIFORM)
        self._changed = True
        while self._changed:
            self._changed = False
            self._block(body)

    def degree(self, value: SSAValue) -> Degree:
        """The degree of a value at block scope."""
        return self._degrees.get(value, Degree.UNIFORM)

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether `value` exists once for the whole block."""
        return self.degree(value) is Degree.UNIFORM

    def add_uniform(self, value: SSAValue) -> None:
        """Make a value known that was created at block scope."""
        self._degrees[value] = Degree.UNIFORM

    def _raise(self, values: Iterable[SSAValue], degree: Degree) -> None:
        degrees = self._degrees
        for value in values:
            before = degrees.get(value)
            if before is None:
                degrees[value] = degree  # nothing has read it yet: it is visited in front of its uses
            elif before < degree:
                degrees[value] = degree
                self._changed = True

    def _block(self, block: Block) -> None:
        for op in block_ops(block):
            self._operation(op)

    def _operation(self, op: Operation) -> None:
        if op.name in SYNC:
            self._raise(op.results, Degree.UNIFORM if op.name == AgreedOp.name else Degree.ASSUMED)
        elif op in self._hoisted:
            self._structured(op)
        elif op.results:
            self._raise(op.results, self._plain_degree(op))

    def _plain_degree(self, op: Operation) -> Degree:
        if not op.regions:
            return max(self._join(operands_of(op)), _own_degree(op))
        return max(max(self._join(operands_of(nested)), _own_degree(nested)) for nested in walk(op))

    def _join(self, values: Sequence[SSAValue]) -> Degree:
        degrees, found = self._degrees, Degree.UNIFORM
        for value in values:
            degree = degrees.get(value, Degree.UNIFORM)
            if degree > found:
                found = degree
        return found

    def _structured(self, op: Operation) -> None:
        name = op.name
        if name == "scf.for":
            self._loop(op)
        elif name == "scf.while":
            self._while(op)
        else:
            for region in op.regions:
                for block in region.blocks:
                    self._block(block)
                    self._flow(block.last_op, 0, op.results)

    def _loop(self, op: Operation) -> None:
        body = op.regions[0].block
        induction, *carried = body.args
        self._raise((induction,), Degree.UNIFORM)
        for initial, argument, result in zip(op.operands[3:], carried, op.results, strict=True):
            self._raise((argument, result), self.degree(initial))
        self._block(body)
        self._flow(body.last_op, 0, carried)
        for argument, result in zip(carried, op.results, strict=True):
            self._raise((result, argument), self.degree(argument))

    def _while(self, op: Operation) -> None:
        before, after = op.regions[0].block, op.regions[1].block
        for initial, argument in zip(op.operands, before.args, strict=True):
            self._raise((argument,), self.degree(initial))
        self._block(before)
        self._flow(before.last_op, 1, after.args)
        self._flow(before.last_op, 1, op.results)
        self._block(after)
        self._flow(after.last_op, 0, before.args)

    def _flow(self, terminator: Operation | None, skip: int, targets: Sequence[SSAValue]) -> None:
        assert terminator is not None
        for source, target in zip(terminator.operands[skip:], targets, strict=False):
            self._raise((target,), self.degree(source))


def _own_degree(op: Operation) -> Degree:
    if _is_varying(type(op)):
        return Degree.DIVERGENT
    return Degree.UNIFORM if is_pure_itself(op) else Degree.ASSUMED


@cache
def _is_varying(kind: type[Operation]) -> bool:
    """Whether operations of a class have another result in each thread, or depend on who arrives first."""
    return kind.name in THREAD_VARYING or kind.name in ATOMIC
