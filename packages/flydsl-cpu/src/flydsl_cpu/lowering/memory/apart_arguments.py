"""The check, once for a block, that arguments lead to memory without bytes in common.

An address that grows from the first thread to the last, as a sum of thread ids, is between those of the two.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, OpResult, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl_cpu.lowering.analysis.address_sums import Sum
from flydsl_cpu.lowering.analysis.corners import Corner
from flydsl_cpu.lowering.analysis.linear_forms import Form, LinearForms
from flydsl_cpu.lowering.analysis.operations import is_inside, is_pure
from flydsl_cpu.lowering.memory.access_order import Access, AccessOrder

_MOST_RANGES = 8
"""Different sums of one argument, beyond which the check would be long."""
_MOST_THREADS = 1024
_SPAN = 1 << 31
"""Bytes that threads may be apart: 32-bit sums of less do not pass the first thread's again where they wrap."""


class ApartArguments:
    """The ranges of the arguments that must not overlap for the accesses of a body to keep their order."""

    def __init__(self, body: Block, forms: LinearForms, order: AccessOrder) -> None:
        self._body, self._forms, self._pairs = body, forms, order.pairs
        bases = dict.fromkeys(base for pair in order.pairs for base in pair)
        self._ends = {base: _ends([a for a in order.accesses if a.base is base]) for base in bases}
        self.are_checkable = all(
            len(ends) <= _MOST_RANGES and all(self._is_between(low) and self._is_between(high) for low, high in ends)
            for ends in self._ends.values()
        )

    def check(self, build: LLVMBuilder, last: Sequence[SSAValue], first: SSAValue) -> list[SSAValue]:
        """Conditions at block scope that hold when no two ranges overlap; `last` are the ids of the last thread."""
        corners = (
            Corner(build, dict.fromkeys(self._body.args, first), self._is_computed),
            Corner(build, dict(zip(self._body.args, last, strict=True)), self._is_computed),
        )
        terms: list[SSAValue] = []
        ranges = {base: self._range(build, corners, base, terms) for base in self._ends}
        for a, b in self._pairs:
            (low_a, high_a), (low_b, high_b) = ranges[a], ranges[b]
            before = build.compare("ule", high_a, low_b)
            terms.append(build.bit_or(before, build.compare("ule", high_b, low_a)))
        return terms

    def _range(
        self, build: LLVMBuilder, corners: tuple[Corner, Corner], base: SSAValue, terms: list[SSAValue]
    ) -> tuple[SSAValue, SSAValue]:
        """The first byte of an argument that threads access, and the first behind the last.

        `terms` gets what holds where no sum wraps.
        """
        lows, highs = [], []
        for low, high in self._ends[base]:
            start, end = corners if self._grows(low) else corners[::-1]
            begins, ends = (_number(build, corner.value(a.op.ptr)) for corner, a in ((start, low), (end, high)))
            ends = build.add(ends, build.constant(high.size, i64))
            terms.append(build.compare("ult", begins, ends))
            lows.append(begins)
            highs.append(ends)
        return _combined(build, arith.MinUIOp, lows), _combined(build, arith.MaxUIOp, highs)

    def _form(self, access: Access) -> Form:
        return self._forms.of(access.op.ptr)

    def _grows(self, access: Access) -> bool:
        return all(coefficient > 0 for coefficient in self._form(access).coefficients.values())

    def _is_between(self, access: Access) -> bool:
        """Whether the address of every thread is between those of the first and the last, and both can be computed."""
        form = self._form(access)
        signs = {coefficient > 0 for coefficient in form.coefficients.values()}
        extents = (self._forms.digits[digit].extent or _MOST_THREADS for digit in form.coefficients)
        span = sum(abs(c) * extent for c, extent in zip(form.coefficients.values(), extents, strict=True))
        return not form.unknown and len(signs) < 2 and span < _SPAN and self._can_compute(access.op.ptr)

    def _can_compute(self, value: SSAValue) -> bool:
        pending, seen = [value], {value}
        while pending:
            value = pending.pop()
            if isinstance(value, BlockArgument):
                if value.owner is not self._body and _is_within(value, self._body):
                    return False
            elif self._is_computed(value):
                assert isinstance(value, OpResult)
                if value.op.regions or not is_pure(value.op):
                    return False
                pending += [operand for operand in value.op.operands if operand not in seen]
                seen.update(value.op.operands)
        return True

    def _is_computed(self, value: SSAValue) -> bool:
        return isinstance(value, OpResult) and is_inside(self._body, value.op)


def _is_within(argument: BlockArgument, body: Block) -> bool:
    parent = argument.owner.parent_op()
    return parent is not None and is_inside(body, parent)


def _ends(accesses: Sequence[Access]) -> list[tuple[Access, Access]]:
    """Of the accesses whose addresses differ by constants the first and the last."""
    alike: dict[tuple[tuple[int, int], ...], list[Access]] = {}
    for access in accesses:
        alike.setdefault(access.address.terms, []).append(access)
    return [
        (min(some, key=lambda a: _signed(a.address)), max(some, key=lambda a: _signed(a.address) + a.size))
        for some in alike.values()
    ]


def _signed(address: Sum) -> int:
    constant = address.constant
    return constant - (1 << 32) if constant >= _SPAN else constant


def _number(build: LLVMBuilder, address: SSAValue) -> SSAValue:
    return build.value(llvm.PtrToIntOp, (address,), i64)


def _combined(
    build: LLVMBuilder, operation: type[arith.MinUIOp | arith.MaxUIOp], values: Sequence[SSAValue]
) -> SSAValue:
    total, *rest = values
    for value in rest:
        total = build.value(operation, (total, value), i64)
    return total
