"""Block loops: the loops of a kernel that run once for the block rather than once per thread.

A loop without a synchronisation may run thread by thread, each through all iterations, or iteration by iteration, each
through all threads: between two synchronisations threads do not depend on each other. The second order is the one of
the hardware that kernels are written for, where neighbouring threads access neighbouring addresses; on a CPU it makes
the loop over threads the innermost one, with contiguous accesses that LLVM vectorises.
"""

from __future__ import annotations

from xdsl.dialects import llvm, scf
from xdsl.ir import Block, Operation

from flydsl.backend.llvm import size_of
from flydsl.backend.rewriting import operations as all_operations
from flydsl.backend.rewriting import walk
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms, split_digits
from flydsl_cpu.lowering.analysis.operations import hoisted_operations, is_sync
from flydsl_cpu.lowering.analysis.uniformity import Uniformity
from flydsl_cpu.lowering.kernels import Extents
from flydsl_cpu.lowering.memory.accesses import ACCESSES
from flydsl_cpu.lowering.schedule.uniform_ranges import can_start_together, start_together
from flydsl_cpu.lowering.vectors.thread_vectors import stays_in_registers

_LINE = 64
"""Bytes of a cache line: accesses of neighbouring threads that are no further apart share lines."""


def block_operations(
    body: Block, extents: Extents, width: int
) -> tuple[frozenset[Operation], Uniformity, frozenset[Operation]]:
    """The structured operations that run once for the block, the uniformity of values with them, and loops of vectors.

    Those that hold a synchronisation have to run once; loops with contiguous accesses join when all threads leave them
    together. A loop that starts at a thread id is rewritten for that. What carries many sums runs by vectors of threads
    instead, alone between two others.
    """
    operations = hoisted_operations(body)
    alone: set[Operation] = set()
    uniformity = Uniformity(body, operations)
    loops = all_operations(body, (scf.ForOp.name,))
    candidates = [op for op in loops if isinstance(op, scf.ForOp) and op not in operations]
    forms = split_digits(body, extents)[1] if candidates else None
    for loop in candidates:
        if forms is None or not _is_at_block_scope(loop, body, operations) or _allocates(loop):
            continue
        if stays_in_registers(loop, forms, width):
            alone.add(loop)
            continue
        if not all(map(uniformity.is_uniform, (loop.ub, loop.step))) or not _is_contiguous(loop, forms):
            continue
        if not uniformity.is_uniform(loop.lb):
            if not can_start_together(loop, forms):
                continue
            loop = start_together(loop)
            forms = split_digits(body, extents)[1]
        operations |= {loop}
        uniformity = Uniformity(body, operations)
    return operations, uniformity, frozenset(alone)


def _is_at_block_scope(op: Operation, body: Block, operations: frozenset[Operation]) -> bool:
    return op.parent is body or op.parent_op() in operations


def _allocates(loop: Operation) -> bool:
    """Whether register memory is used inside, which would have to be kept for each thread."""
    for op in walk(loop):
        if isinstance(op, llvm.AllocaOp) or is_sync(op):
            return True
        if isinstance(op, llvm.LoadOp | llvm.StoreOp) and _is_register_memory(op.ptr.owner):
            return True
    return False


def _is_register_memory(owner: Operation | Block) -> bool:
    while isinstance(owner, llvm.GEPOp):
        owner = owner.ptr.owner
    return isinstance(owner, llvm.AllocaOp)


def _is_contiguous(loop: Operation, forms: LinearForms) -> bool:
    """Whether neighbouring threads access neighbouring addresses, and none that are far apart."""
    near = False
    for op in all_operations(loop, ACCESSES):
        assert isinstance(op, llvm.LoadOp | llvm.StoreOp)
        form = forms.of(op.ptr)
        distance = form.coefficients.get(0, 0)
        if 0 in form.unknown or abs(distance) > _LINE:
            return False
        accessed = op.results[0].type if isinstance(op, llvm.LoadOp) else op.value.type
        near |= distance == size_of(accessed)
    return near
