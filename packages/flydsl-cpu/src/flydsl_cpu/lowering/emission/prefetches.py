"""Prefetches of the addresses that `cpu.ahead` announces, from the outer loops over threads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import Block, OpResult, SSAValue

from flydsl.backend.llvm import LLVMBuilder, integer
from flydsl.backend.rewriting import clone, erase
from flydsl_cpu.dialect import AheadOp
from flydsl_cpu.lowering.analysis.linear_forms import LinearForms, split_digits
from flydsl_cpu.lowering.analysis.operations import is_inside, take_out_unused
from flydsl_cpu.lowering.kernels import Extents

_LINE = 64
_MAX_LINES = 4
"""Lines of a load for the threads of an innermost loop, beyond which prefetches are too many."""


class Ahead:
    """The announced addresses of one loop over threads, taken out of its body."""

    def __init__(self, body: Block, extents: Extents) -> None:
        announced = [op for op in body.ops if isinstance(op, AheadOp)]
        self._block = Block(arg_types=body.arg_types)
        self._addresses: list[SSAValue] = []
        self._lines: list[tuple[int, int]] = []
        if not announced:
            return
        copies: dict[SSAValue, SSAValue] = dict(zip(body.args, self._block.args, strict=True))
        for op in announced:
            self._addresses.append(self._copied(op.operands[0], body, copies))
            erase(op)
        take_out_unused(body)
        self._measure(extents)

    def _copied(self, value: SSAValue, body: Block, copies: dict[SSAValue, SSAValue]) -> SSAValue:
        if value not in copies and isinstance(value, OpResult) and is_inside(body, value.op):
            operands = {operand: self._copied(operand, body, copies) for operand in value.op.operands}
            copy = clone(value.op, operands)
            self._block.add_op(copy)
            copies.update(zip(value.op.results, copy.results, strict=True))
        return copies.get(value, value)

    def _measure(self, extents: Extents) -> None:
        """For each address the distance of neighbouring threads in bytes, and how many threads in a row have it."""
        digits, forms = split_digits(self._block, extents)
        for address in self._addresses:
            form, threads = forms.of(address), 0
            distance = 0 if 0 in form.unknown else form.coefficients.get(0, 0)
            for index, digit in enumerate(digits):
                if digit.dim or digit.extent is None or form.coefficients.get(index) != distance * max(threads, 1):
                    break
                threads = digit.extent * max(threads, 1)
            self._lines.append((distance, threads))

    def emit(self, build: LLVMBuilder, forms: LinearForms, counters: Sequence[SSAValue], zero: SSAValue) -> None:
        """Prefetch what the threads of one innermost loop will read; `counters` are those of the outer loops."""
        inner = forms.digits[0].extent
        if not self._addresses or inner is None or forms.digits[0].dim or forms.digits[0].unit != 1:
            return
        for lane in range(inner):
            wanted = [
                address
                for address, (distance, threads) in zip(self._addresses, self._lines, strict=True)
                if threads and threads % inner == 0 and _ends_line(lane, distance, inner)
            ]
            if wanted:
                self._prefetch(build, wanted, self._ids(build, forms, lane, counters, zero))

    def _ids(
        self, build: LLVMBuilder, forms: LinearForms, lane: int, counters: Sequence[SSAValue], zero: SSAValue
    ) -> dict[SSAValue, SSAValue]:
        """The ids of the thread `lane` of the innermost loop."""
        places = [build.constant(lane) if lane else zero, *counters]
        units = ({i: d.unit for i, d in enumerate(forms.digits) if d.dim == dim} for dim in range(3))
        return {
            argument: weighted_sum(build, unit, places, zero)
            for argument, unit in zip(self._block.args, units, strict=True)
        }

    def _prefetch(self, build: LLVMBuilder, addresses: Sequence[SSAValue], ids: dict[SSAValue, SSAValue]) -> None:
        copies = dict(ids)
        for op in self._block.ops:
            copy = build.insert(clone(op, {operand: copies.get(operand, operand) for operand in op.operands}))
            copies.update(zip(op.results, copy.results, strict=True))
        for address in addresses:
            options = {"rw": integer(0, i32), "hint": integer(3, i32), "cache": integer(1, i32)}
            build.raw("llvm.intr.prefetch", (copies.get(address, address),), (), options)


def _ends_line(lane: int, distance: int, inner: int) -> bool:
    """Whether thread `lane` is the last of `inner` neighbours, or of those whose elements fill a cache line."""
    if not 0 < distance <= _LINE or inner * distance > _MAX_LINES * _LINE:
        return False
    return lane == inner - 1 or (lane + 1) * distance % _LINE < distance


def weighted_sum(
    build: LLVMBuilder, coefficients: Mapping[int, int], counters: Sequence[SSAValue], zero: SSAValue
) -> SSAValue:
    """The sum of coefficient * counter."""
    total: SSAValue | None = None
    for digit, coefficient in coefficients.items():
        term = counters[digit]
        if coefficient != 1:
            term = build.mul(term, build.constant(coefficient), nsw=True)
        total = term if total is None else build.add(total, term, nsw=True)
    return zero if total is None else total
