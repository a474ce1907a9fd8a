"""The pass `cpu-mark-uniform-results`: results of reductions by shuffles, on which all threads of a block agree.

`v = combine(v, shuffle_xor(v, k))` gives two threads whose numbers differ in the bit `k` the same result. When that,
and what the value was computed from, covers all bits of the thread number, the block has one value: it is computed
once from there on, and what depends on it needs no array with an element a thread.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, llvm
from xdsl.ir import Block, Operation, OpResult, SSAValue

from flydsl.backend.gpu import ShuffleMode, shuffle_mode
from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.passes import KernelPass
from flydsl.backend.rewriting import operations
from flydsl_cpu.dialect import AgreedOp
from flydsl_cpu.lowering.analysis.linear_forms import constant_value
from flydsl_cpu.lowering.analysis.operations import COMMUTATIVE, is_plain, is_pure
from flydsl_cpu.lowering.kernels import Extents, extents_of, kernel_body

_REMAINDERS, _QUOTIENTS = (arith.RemSIOp, arith.RemUIOp), (arith.DivSIOp, arith.DivUIOp, arith.FloorDivSIOp)


@dataclass(frozen=True)
class MarkUniformResults(KernelPass):
    """A `cpu.agreed` behind the last step of each reduction over the whole block."""

    name = "cpu-mark-uniform-results"

    def rewrite(self, kernel: Operation) -> None:
        """Change one function of the device, in place."""
        _mark_results(kernel_body(kernel), extents_of(kernel))


def _mark_results(body: Block, extents: Extents) -> None:
    threads = prod(extent or 0 for extent in extents)
    if threads < 2 or threads & (threads - 1) or extents[0] != threads:
        return
    shuffles = operations(body, ("gpu.shuffle",))
    if not shuffles:
        return
    symmetries = _Symmetries(threads, body)
    for combined in dict.fromkeys(use.operation for op in shuffles for use in op.results[0].uses):
        if isinstance(combined, COMMUTATIVE) and symmetries.of(combined.results[0]) == threads - 1:
            _mark(combined)


def _mark(combined: Operation) -> None:
    value, following = combined.results[0], combined.next_op
    assert following is not None, "a block ends with a terminator"
    agreed = LLVMBuilder.before_op(following).create(AgreedOp, (value,), (value.type,)).results[0]
    value.replace_uses_with_if(agreed, lambda use: use.operation is not agreed.owner)


class _Symmetries:
    """For each value the bits of the thread number that do not matter to it."""

    def __init__(self, threads: int, body: Block) -> None:
        self._all, self._body = threads - 1, body
        self._known: dict[SSAValue, int] = {}

    def of(self, value: SSAValue) -> int:
        """A mask of bits: threads that differ in these only have the same value."""
        waiting, seen = [value], set[SSAValue]()  # no recursion: chains of operations may be thousands long
        while waiting:
            last = waiting[-1]
            missing = [] if last in seen else [one for one in self._sources(last) if one not in self._known]
            seen.add(last)
            if missing:
                waiting += missing
            else:
                waiting.pop()
                if last not in self._known:
                    self._known[last] = self._of_result(last)
        return self._known[value]

    def _sources(self, value: SSAValue) -> Sequence[SSAValue]:
        """What is to be known before `value`."""
        return value.op.operands if isinstance(value, OpResult) else ()

    def _of_result(self, value: SSAValue) -> int:
        if not isinstance(value, OpResult):
            return self._all if value.owner is self._body else 0  # an argument of the kernel
        op = value.op
        if op.name == "gpu.shuffle":
            return self.of(op.operands[0]) if value is op.results[0] and self._distance(op) else 0
        if isinstance(op, llvm.LoadOp):  # no thread writes what another reads: what is there is the same for both
            return self.of(op.ptr) if is_plain(op) else 0
        if not is_pure(op) or op.regions:
            return 0
        common = self._all
        for operand in op.operands:
            common &= self.of(operand)
        return common | self._of_division(op) | self._of_step(op)

    def _of_division(self, op: Operation) -> int:
        """Bits of the thread number itself that a division by a power of two drops."""
        if not isinstance(op, _REMAINDERS + _QUOTIENTS) or not _is_thread_number(op.operands[0]):
            return 0
        divisor = constant_value(op.operands[1])
        if divisor is None or divisor < 1 or divisor & (divisor - 1):
            return 0
        low = divisor - 1
        return self._all & (~low if isinstance(op, _REMAINDERS) else low)

    def _of_step(self, op: Operation) -> int:
        """The bit that combining a value with that of another lane makes indifferent, and those that did not matter."""
        if isinstance(op, COMMUTATIVE):
            for own, other in (tuple(op.operands), tuple(reversed(op.operands))):
                owner = other.owner
                if isinstance(owner, Operation) and owner.name == "gpu.shuffle" and owner.operands[0] is own:
                    return self._distance(owner) if other is owner.results[0] else 0
        return 0

    def _distance(self, shuffle: Operation) -> int:
        """The bit that a shuffle exchanges; 0 for other shuffles."""
        distance, width = constant_value(shuffle.operands[1]), constant_value(shuffle.operands[2])
        if shuffle_mode(shuffle) is not ShuffleMode.XOR or distance is None or width is None:
            return 0
        exchanges = 0 < distance < width <= self._all + 1 and not (distance & (distance - 1) or width & (width - 1))
        return distance if exchanges else 0


def _is_thread_number(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp):
        return _is_thread_number(owner.operands[0])
    return isinstance(owner, Operation) and owner.name == "gpu.thread_id"
