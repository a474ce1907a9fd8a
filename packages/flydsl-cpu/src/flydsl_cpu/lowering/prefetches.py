"""Prefetches for the next iteration of loops with barriers, while the threads work on this one.

A kernel that stages tiles reads them all at once, from rows that are far apart: no prefetcher of a processor sees a
pattern in that, and no load is early enough to be hidden behind the arithmetic, on the other side of a barrier. So what
the loads in front of the first barrier will read is asked for behind it, a few lines at each turn of the outer loops
over threads: the innermost one stays free for the vectoriser.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects import llvm, scf
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue

from flydsl.backend.dialect import upstream_op
from flydsl.backend.llvm import LLVMBuilder, integer
from flydsl.backend.rewriting import clone, erase
from flydsl_cpu.lowering.linear_forms import LinearForms, split_digits
from flydsl_cpu.lowering.operations import is_inside, is_plain, is_pure, take_out_unused

AheadOp = upstream_op("cpu.ahead")
"""Says that the next iteration reads from an address."""

_LINE = 64
_MAX_LOADS, _MAX_LINES = 16, 4
"""Loads of a loop, and lines of each for the threads of an innermost loop, beyond which prefetches are too many."""


def insert_prefetches(loops: Iterable[Operation]) -> bool:
    """Put an `AheadOp` behind the first barrier of each loop for what is loaded before it; whether there are any."""
    return sum(_announce(loop) for loop in loops if isinstance(loop, scf.ForOp)) > 0


def _announce(loop: scf.ForOp) -> bool:
    body = loop.body.block
    barrier = next((op for op in body.ops if op.name == "gpu.barrier"), None)
    if barrier is None or barrier.next_op is None:
        return False
    addresses = dict.fromkeys(_loaded(body, barrier))
    following = _Following(loop, LLVMBuilder.before_op(barrier.next_op))
    announced = [address for address in addresses if following.moves(address)]
    if len(announced) > _MAX_LOADS:
        return False
    for address in announced:
        following.build.create(AheadOp, (following.value(address),))
    return bool(announced)


def _loaded(block: Block, end: Operation | None) -> list[SSAValue]:
    """The addresses that loads in front of `end` read, under conditions too."""
    found: list[SSAValue] = []
    for op in block.ops:
        if op is end:
            break
        if isinstance(op, llvm.LoadOp) and is_plain(op) and not _is_of_block(op.ptr):
            found.append(op.ptr)
        elif isinstance(op, scf.IfOp):
            found += [address for region in op.regions for inner in region.blocks for address in _loaded(inner, None)]
    return found


def _is_of_block(address: SSAValue) -> bool:
    """Whether it is in shared memory or in registers."""
    while isinstance(address, OpResult) and isinstance(address.op, llvm.GEPOp):
        address = address.op.ptr
    return isinstance(address, BlockArgument) or isinstance(address.owner, llvm.AllocaOp)


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
            return value if not is_inside(self._loop.body.block, _owner(value)) else self._again(value)
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


class Ahead:
    """The announced addresses of one loop over threads, taken out of its body."""

    def __init__(self, body: Block, extents: tuple[int | None, int | None, int | None]) -> None:
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

    def _measure(self, extents: tuple[int | None, int | None, int | None]) -> None:
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
