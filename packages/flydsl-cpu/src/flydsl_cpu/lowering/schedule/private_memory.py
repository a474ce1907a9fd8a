"""Stack allocations of a kernel: one buffer that all threads reuse, or one per thread when the content outlives a
segment.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, OpResult, SSAValue

from flydsl.backend.llvm import LLVMBuilder, size_of
from flydsl.backend.rewriting import operations
from flydsl_cpu.lowering.analysis.operations import hoisted_operations, is_pure
from flydsl_cpu.lowering.kernels import error_at
from flydsl_cpu.lowering.schedule.segments import Segments

_ADDRESSING = frozenset({"llvm.load", "llvm.atomicrmw", "llvm.cmpxchg"})


def allocation_bytes(op: llvm.AllocaOp) -> tuple[int, int]:
    """Size and alignment of an alloca, whose element count must be constant."""
    count = op.operands[0]
    owner = count.owner if isinstance(count, OpResult) else None
    value = owner.properties.get("value") if owner is not None else None
    if not isinstance(value, IntegerAttr):
        raise error_at(op, "a register allocation needs a constant size")
    alignment = op.alignment.value.data if op.alignment is not None else 8
    return value.value.data * size_of(op.elem_type), max(1, alignment)


def hoist_nested(body: Block, prologue: LLVMBuilder) -> None:
    """Make one buffer at function entry of an allocation inside of barrier-free loops and branches: a loop must not
    grow the stack.
    """
    hoisted = hoisted_operations(body)
    for op in operations(body, (llvm.AllocaOp.name,)):
        if op.parent_block() is not body and op.parent_op() not in hoisted:
            count = op.operands[0].owner
            assert isinstance(count, Operation)
            op.operands[0] = prologue.insert(count.clone()).results[0]
            prologue.move(op)


def is_kept(op: llvm.AllocaOp, segments: Segments) -> bool:
    """Whether the content is used in more than one segment, or the address goes where this cannot be told."""
    own = segments.number(op)
    pending: list[SSAValue] = [op.results[0]]
    while pending:
        value = pending.pop()
        if any(segment != own for segment in segments.uses(value)):
            return True
        for use in value.uses:
            user = use.operation
            if is_pure(user) and not user.regions and user.results:
                pending.extend(user.results)
            elif not (user.name in _ADDRESSING or (user.name == "llvm.store" and use.index == 1)):
                return True
    return False
