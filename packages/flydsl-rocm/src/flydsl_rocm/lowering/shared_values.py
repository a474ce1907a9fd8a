"""Wave-uniform values: block numbers, arguments, loop counters, and what is made of them."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from flydsl.backend.rewriting import operands_of

_DEPTH = 50  # of an expression that is looked into
_SHARED = frozenset({"arith.constant", "gpu.block_id", "gpu.grid_dim", "gpu.block_dim"})
_FROM_ONE_LANE = frozenset({"rocdl.readfirstlane", "rocdl.readlane"})
_INTEGER = (
    *("addi", "subi", "muli", "divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "shli", "shrsi", "shrui"),
    *("andi", "ori", "xori", "minsi", "maxsi", "extsi", "extui", "trunci", "index_cast", "select", "cmpi"),
)
_OTHER = (
    *("llvm.extractvalue", "llvm.insertvalue", "llvm.mlir.undef", "llvm.getelementptr"),
    "rocdl.make.buffer.rsrc",
)
_PURE = frozenset({*(f"arith.{name}" for name in _INTEGER), *_OTHER})


class SharedValues:
    """Answers for the values of one kernel, computed when they are asked for."""

    def __init__(self) -> None:
        self._known: dict[SSAValue, bool] = {}

    def has(self, value: SSAValue, depth: int = 0) -> bool:
        """Whether all threads of a wave have the same value."""
        found = self._known.get(value)
        if found is None:
            found = self._known[value] = depth < _DEPTH and self._computed(value, depth + 1)
        return found

    def _computed(self, value: SSAValue, depth: int) -> bool:
        if isinstance(value, BlockArgument):
            parent = value.block.parent_op()
            if isinstance(parent, scf.ForOp) and value.index == 0:
                return all(self.has(bound, depth) for bound in (parent.lb, parent.ub, parent.step))
            return parent is not None and parent.name == "gpu.func" and parent.regions[0].blocks[0] is value.block
        op = value.owner
        assert isinstance(op, Operation)
        if op.name in _SHARED or op.name in _FROM_ONE_LANE:
            return True
        return op.name in _PURE and all(self.has(operand, depth) for operand in operands_of(op))
