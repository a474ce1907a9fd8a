"""The segment plan of a kernel: runs of operations between synchronisations, and what crosses them.

Every operation at block scope gets the number of the segment it runs in. A value that is used in another segment than
its own is computed again there when that is cheap, and kept in a per-thread array otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from flydsl_cpu.dialect import AheadOp
from flydsl_cpu.lowering.analysis.operations import EXCHANGES, is_pure, is_sync, recompute_cost
from flydsl_cpu.lowering.analysis.uniformity import Uniformity

BLOCK_SCOPE = -1
"""The segment of a use that reads the value of another thread, or outside any thread loop."""

_RECOMPUTE_LIMIT = 48
_LOAD_COST = 2


class Segments:
    """The segment numbers of one function and its values that need a per-thread array."""

    __slots__ = ("_costs", "_next", "_number", "_uniformity", "alone", "hoisted", "opening", "spilled")

    def __init__(
        self,
        body: Block,
        hoisted: frozenset[Operation],
        uniformity: Uniformity,
        alone: frozenset[Operation] = frozenset(),
    ) -> None:
        self.hoisted, self.alone = hoisted, alone
        self._uniformity = uniformity
        self._number: dict[Operation, int] = {}
        self._costs: dict[SSAValue, int | None] = {}
        self._next = 0
        self.opening = frozenset(map(_first_announcement, alone))
        self._assign(body)
        self.spilled: set[SSAValue] = set()
        for op in self._number:
            for result in op.results:
                self.recompute_cost(result)  # in order: what it depends on is known, however long the chain is
        for op in self._number:
            for result in op.results:
                self._plan(result)

    def number(self, op: Operation) -> int:
        """The segment of an operation at block scope."""
        return self._number[op]

    def is_block_level(self, value: SSAValue) -> bool:
        """Whether `value` is defined at block scope, not inside an operation that runs within one segment."""
        owner = value.owner
        if isinstance(owner, Operation):
            return owner in self._number
        parent = owner.parent_op()
        return parent is None or parent not in self._number or parent in self.hoisted

    def uses(self, value: SSAValue) -> Iterator[int]:
        """The segments that read `value`; BLOCK_SCOPE for exchanges and for bounds and conditions at block scope."""
        for use in value.uses:
            op = use.operation
            while op not in self._number:
                parent = op.parent_op()
                assert parent is not None, "a use outside the function"
                op = parent
            yield self._segment_of_use(op, use.index if op is use.operation else None)

    def recompute_cost(self, value: SSAValue) -> int | None:
        """The cost of computing `value` again from thread ids, uniform values and per-thread arrays; None when it must
        be kept.
        """
        if value not in self._costs:
            self._costs[value] = self._cost(value)
        return self._costs[value]

    def _assign(self, body: Block) -> None:
        for op in body.ops:
            if is_sync(op):
                self._next += 1
                self._number[op] = self._next
            elif op in self.hoisted:
                self._number[op] = self._next
                for block in (block for region in op.regions for block in region.blocks):
                    self._next += 1
                    self._assign(block)
                self._next += 1
            else:
                self._next += op in self.opening
                self._number[op] = self._next
                self._next += op in self.alone

    def _segment_of_use(self, op: Operation, operand: int | None) -> int:
        name = op.name
        segment = self._number[op]
        if operand is None:
            return segment
        if name in EXCHANGES:
            return BLOCK_SCOPE if operand == 0 else segment
        if is_sync(op) or not (name == "scf.condition" or (op in self.hoisted)):
            return segment
        block_scope = {"scf.for": 3, "scf.while": 0}.get(name, 1)
        return BLOCK_SCOPE if operand < block_scope else segment

    def _plan(self, value: SSAValue) -> None:
        if self._uniformity.is_uniform(value):
            return
        owner = value.owner
        assert isinstance(owner, Operation)
        for segment in self.uses(value):
            if segment == BLOCK_SCOPE:
                self._keep(value, force=True)
            elif segment != self._number[owner]:
                self._keep(value)

    def _keep(self, value: SSAValue, *, force: bool = False) -> None:
        if self._uniformity.is_uniform(value) or isinstance(value, BlockArgument) or value in self.spilled:
            return
        if value.owner in self.hoisted:
            return
        if force or self.recompute_cost(value) is None:
            self.spilled.add(value)
            return
        assert isinstance(value.owner, Operation)
        for operand in value.owner.operands:
            self._keep(operand)

    def _cost(self, value: SSAValue) -> int | None:
        if self._uniformity.is_uniform(value):
            return 0
        owner = value.owner
        if not isinstance(owner, Operation):
            return _LOAD_COST
        if owner.name == "gpu.thread_id":
            return 0
        if is_sync(owner) or owner.regions or not is_pure(owner):
            return None
        total = recompute_cost(owner)
        for operand in owner.operands:
            cost = self.recompute_cost(operand)
            total += _LOAD_COST if cost is None else cost
        return total if total <= _RECOMPUTE_LIMIT else None


def _first_announcement(loop: Operation) -> Operation:
    """The first of the operations that announce loads in front of a loop, which it prefetches; itself without any."""
    first, op = loop, loop.prev_op
    while op is not None and (is_pure(op) or isinstance(op, AheadOp)):
        first = op if isinstance(op, AheadOp) else first
        op = op.prev_op
    return first
