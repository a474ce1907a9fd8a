"""Values of a loop body as one thread has them, computed at block scope."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation, OpResult, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import clone
from flydsl_cpu.lowering.analysis.operations import is_pure


class Corner:
    """Values of the body at fixed thread ids, computed at block scope."""

    def __init__(
        self, build: LLVMBuilder, known: dict[SSAValue, SSAValue], is_inside: Callable[[SSAValue], bool]
    ) -> None:
        self._build, self._known, self._is_inside = build, known, is_inside

    def value(self, value: SSAValue) -> SSAValue:
        """`value`, recomputed."""
        if value in self._known or not self._is_inside(value):
            return self._known.get(value, value)
        assert isinstance(value, OpResult)
        op: Operation = value.op
        assert is_pure(op), "only what is pure can be computed again"
        copy = clone(op, {operand: self.value(operand) for operand in op.operands})
        self._build.insert(copy)
        self._known.update(zip(op.results, copy.results, strict=True))
        return self._known[value]
