"""A function of mixed IR and arguments in, its effect on memory and its results out."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir.interpret import fly_operations, upstream_operations
from flydsl.ir.interpret.handler import Handler

__all__ = ["Interpreter", "run"]

_TERMINATORS = frozenset({"scf.yield", "scf.condition", "func.return", "gpu.return"})


class Interpreter:
    """Executes one function for one thread."""

    def __init__(self, ids: Mapping[str, tuple[int, int, int]] | None = None) -> None:
        self.ids = ids or {}
        self.values: dict[SSAValue, Any] = {}
        self.handlers: Mapping[str, Handler] = {**upstream_operations.HANDLERS, **fly_operations.HANDLERS}

    def call(self, function: Operation, arguments: Sequence[Any]) -> Generator[None, None, list[Any]]:
        """Run a function; yields at each barrier."""
        return (yield from self._block(function.regions[0].blocks[0], arguments))

    def _block(self, block: Block, arguments: Sequence[Any]) -> Generator[None, None, list[Any]]:
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            operands = [self.values[operand] for operand in op.operands]
            if op.name in _TERMINATORS:
                return operands
            self.values.update(zip(op.results, (yield from self._op(op, operands)), strict=True))
        return []

    def _op(self, op: Operation, operands: list[Any]) -> Generator[None, None, list[Any]]:
        if op.name == "gpu.barrier":
            yield
            return []
        if op.name == "scf.if":
            region = op.regions[0 if operands[0] else 1]
            return (yield from self._block(region.block, [])) if region.blocks else []
        if op.name == "scf.for":
            lower, upper, step, *carried = operands
            for index in range(lower, upper, step):
                carried = yield from self._block(op.regions[0].block, [index, *carried])
            return carried
        if op.name == "scf.while":
            while True:
                going, *passed = yield from self._block(op.regions[0].block, operands)
                if not going:
                    return passed
                operands = yield from self._block(op.regions[1].block, passed)
        handler = self.handlers.get(op.name)
        if handler is None:
            raise IRError(f"{op.name} cannot be interpreted")
        return handler(self, op, operands)


def run(
    function: Operation, arguments: Sequence[Any], ids: Mapping[str, tuple[int, int, int]] | None = None
) -> list[Any]:
    """Run a function for one thread, whose `ids` are looked up by operation (`gpu.thread_id`); returns its results."""
    steps = Interpreter(ids).call(function, arguments)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return list(stop.value)
