"""The pass `nvvm-pin-loop-latches`: branches back of annotated loops, in a block that stays one.

LLVM writes `.pragma "nounroll"` for a loop if one of its branches back is in no other loop. Where a loop ends with
another, and what is added to its counter is known already, its last block is nothing but that branch: LLVM merges it
with the end of the inner loop, and writes no pragma. Text of no instructions holds it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation

from flydsl.backend.ir import annotation_of
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations, walk
from flydsl_cuda.lowering.assembly import assembly

_LOOPS = (scf.ForOp.name, scf.WhileOp.name)


@dataclass(frozen=True)
class PinLoopLatches(KernelPass):
    """Text of no instructions in the last block of annotated loops around others."""

    name = "nvvm-pin-loop-latches"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        pin_loop_latches(kernel)


def pin_loop_latches(function: Operation) -> None:
    """Put such text at the end of each annotated loop with another one inside."""
    for loop in operations(function, _LOOPS):
        if not annotation_of(loop):
            continue
        body = loop.regions[-1].block
        if any(op.name in _LOOPS for op in walk(body)):
            assert body.last_op is not None
            assembly(LLVMBuilder.before_op(body.last_op), "")
