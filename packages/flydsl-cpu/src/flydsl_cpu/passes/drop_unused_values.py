"""The pass `cpu-drop-unused-values`: nothing handed on by loops and branches where nobody uses it.

Register memory that a loop body writes before it reads arrives here as a carried value that nobody uses; kept per
thread and across barriers it would cost memory traffic.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf, ub
from xdsl.ir import Block, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations

_CARRYING = (scf.ForOp.name, scf.IfOp.name, scf.WhileOp.name)


@dataclass(frozen=True)
class DropUnusedValues(KernelPass):
    """Undefined values where a loop or branch hands on something that is not used."""

    name = "cpu-drop-unused-values"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        ops = operations(kernel, _CARRYING)
        changed = True
        while changed:
            changed = False
            for op in ops:
                changed |= _drop(op)


def _drop(op: Operation) -> bool:
    """Whether anything changed."""
    if isinstance(op, scf.ForOp):
        arguments = op.body.block.args[1:]
        unused = [i for i, result in enumerate(op.results) if not (_used(arguments[i]) or _used(result))]
        return _forget(op, op, 3, unused) | _forget(op, _terminator(op.body.block), 0, unused)
    if isinstance(op, scf.IfOp):
        unused = [i for i, result in enumerate(op.results) if not _used(result)]
        ends = [_terminator(region.block) for region in op.regions if region.blocks]
        return sum(_forget(op, end, 0, unused) for end in ends) > 0
    assert isinstance(op, scf.WhileOp)
    before, after = op.before_region.block, op.after_region.block
    unused = [i for i, argument in enumerate(before.args) if not _used(argument)]
    changed = _forget(op, op, 0, unused) | _forget(op, _terminator(after), 0, unused)
    passed = [i for i, result in enumerate(op.results) if not (_used(after.args[i]) or _used(result))]
    return _forget(op, _terminator(before), 1, passed) | changed


def _forget(op: Operation, giver: Operation, skip: int, positions: list[int]) -> bool:
    """Replace operands of `giver` by undefined values made in front of `op`."""
    changed = False
    for position in positions:
        index = skip + position
        value = giver.operands[index]
        if not isinstance(value.owner, ub.PoisonOp):
            poison = LLVMBuilder.before_op(op).value(ub.PoisonOp, (), value.type, {"value": ub.PoisonAttr()})
            giver.operands[index] = poison
            changed = True
    return changed


def _terminator(block: Block) -> Operation:
    assert block.last_op is not None
    return block.last_op


def _used(value: SSAValue) -> bool:
    return value.first_use is not None
