"""Which values all threads of a wave have in common: block numbers, arguments, loop counters, what is made of them."""

from __future__ import annotations

from xdsl.dialects import arith, gpu, llvm, scf
from xdsl.ir import BlockArgument, Operation, SSAValue

_DEPTH = 50  # of an expression that is looked into
_SHARED = (gpu.BlockIdOp, gpu.GridDimOp, gpu.BlockDimOp)
_PURE = (
    *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
    *(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp, arith.AndIOp, arith.OrIOp),
    *(arith.XOrIOp, arith.MinSIOp, arith.MaxSIOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp, arith.IndexCastOp),
    *(arith.SelectOp, arith.CmpiOp, llvm.ExtractValueOp, llvm.InsertValueOp, llvm.UndefOp, llvm.GEPOp),
)
_FROM_ONE_LANE = frozenset({"rocdl.readfirstlane", "rocdl.readlane"})
_PURE_BY_NAME = frozenset({"rocdl.make.buffer.rsrc"})


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
        if isinstance(op, (arith.ConstantOp, *_SHARED)) or op.name in _FROM_ONE_LANE:
            return True
        is_pure = isinstance(op, _PURE) or op.name in _PURE_BY_NAME
        return is_pure and all(self.has(operand, depth) for operand in op.operands)
