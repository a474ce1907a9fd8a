"""The pass `cpu-insert-prefetches`: the tiles that a loop with barriers brings next, asked for one iteration early.

A kernel that stages tiles reads them all at once, from rows that are far apart: no prefetcher of a processor sees a
pattern in that, and no load is early enough to be hidden behind the arithmetic, on the other side of a barrier. So what
the loads in front of the first barrier will read is asked for behind it, a few lines at each turn of the outer loops
over threads: the innermost one stays free for the vectoriser.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm, scf
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import clone, operations
from flydsl_cpu.dialect import AheadOp, SharedAddressOp
from flydsl_cpu.lowering.analysis.operations import is_inside, is_plain, is_pure
from flydsl_cpu.lowering.kernels import kernel_body

_MAX_LOADS = 16
"""Loads of a loop, beyond which prefetches are too many."""


@dataclass(frozen=True)
class InsertPrefetches(KernelPass):
    """A `cpu.ahead` behind the first barrier of each loop for what is loaded before it."""

    name = "cpu-insert-prefetches"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        arguments = kernel_body(kernel).args
        for loop in operations(kernel, (scf.ForOp.name,)):
            assert isinstance(loop, scf.ForOp)
            _announce(loop, arguments)


def _announce(loop: scf.ForOp, arguments: Sequence[SSAValue]) -> None:
    body = loop.body.block
    barrier = next((op for op in body.ops if op.name == "gpu.barrier"), None)
    if barrier is None or barrier.next_op is None:
        return
    addresses = [address for address in dict.fromkeys(_loaded(body, barrier)) if not _is_of_block(address, arguments)]
    following = _Following(loop, LLVMBuilder.before_op(barrier.next_op))
    announced = [address for address in addresses if following.moves(address)]
    if len(announced) > _MAX_LOADS:
        return
    for address in announced:
        following.build.create(AheadOp, (following.value(address),))


def _loaded(block: Block, end: Operation | None) -> list[SSAValue]:
    """The addresses that loads in front of `end` read, under conditions too."""
    found: list[SSAValue] = []
    for op in block.ops:
        if op is end:
            break
        if isinstance(op, llvm.LoadOp) and is_plain(op):
            found.append(op.ptr)
        elif isinstance(op, scf.IfOp):
            found += [address for region in op.regions for inner in region.blocks for address in _loaded(inner, None)]
    return found


def _is_of_block(address: SSAValue, arguments: Sequence[SSAValue]) -> bool:
    """Whether it is in shared memory or in registers, or a value that a loop carries, which may be."""
    while isinstance(address, OpResult) and isinstance(address.op, llvm.GEPOp):
        address = address.op.ptr
    if isinstance(address, BlockArgument):
        return address not in arguments
    return isinstance(address.owner, llvm.AllocaOp | SharedAddressOp)


class _Following:
    """Values as the next iteration of a loop has them, where they are computed without effects from its counter."""

    def __init__(self, loop: scf.ForOp, build: LLVMBuilder) -> None:
        self._loop, self.build = loop, build
        self._moving: dict[SSAValue, bool] = {}
        self._made: dict[SSAValue, SSAValue] = {}

    def moves(self, value: SSAValue) -> bool:
        """Whether the next iteration has another value, and it can be computed."""
        return self._is_known(value) and self._moving[value]

    def value(self, value: SSAValue) -> SSAValue:
        """The value in the next iteration."""
        if not self._moving[value]:
            is_computed = isinstance(value, OpResult) and is_inside(self._loop.body.block, value.op)
            return self._again(value) if is_computed else value
        if value is self._loop.body.block.args[0]:
            if value not in self._made:
                self._made[value] = self.build.add(value, self._loop.step)
            return self._made[value]
        return self._again(value)

    def _again(self, value: SSAValue) -> SSAValue:
        if value not in self._made:
            op = _owner(value)
            copy = self.build.insert(clone(op, {operand: self.value(operand) for operand in op.operands}))
            self._made.update(zip(op.results, copy.results, strict=True))
        return self._made[value]

    def _is_known(self, value: SSAValue) -> bool:
        body = self._loop.body.block
        if value not in self._moving:
            if value is body.args[0]:
                self._moving[value] = True
            elif isinstance(value, BlockArgument):
                if value.owner is body or is_inside(body, _parent(value.owner)):
                    return False
                self._moving[value] = False
            elif not is_inside(body, _owner(value)):
                self._moving[value] = False
            else:
                op = _owner(value)
                if not is_pure(op) or op.regions or not all(map(self._is_known, op.operands)):
                    return False
                moving = any(self._moving[operand] for operand in op.operands)
                self._moving.update(dict.fromkeys(op.results, moving))
        return True


def _owner(value: SSAValue) -> Operation:
    assert isinstance(value, OpResult)
    return value.op


def _parent(block: Block) -> Operation:
    parent = block.parent_op()
    assert parent is not None
    return parent
