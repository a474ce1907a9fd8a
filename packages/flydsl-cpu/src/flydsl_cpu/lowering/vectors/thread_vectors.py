"""Neighbouring threads as the lanes of vectors, around loops whose sums stay in registers.

LLVM vectorises innermost loops only. Where each thread walks along a loop with several sums, as in a matrix product,
that is either the loop over threads, with every sum in memory, or the walk, one thread at a time. Here the threads
become lanes in the lowering, and their innermost loop goes away: what the walk carries is then vectors of machine
registers, from its first step to its last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from xdsl.dialects import llvm, scf, vector
from xdsl.dialects.builtin import AnyFloat, VectorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from flydsl.backend.ir import annotation_of, element_bits
from flydsl.backend.llvm import LLVMBuilder, size_of
from flydsl_cpu.lowering.analysis.linear_forms import Digit, LinearForms
from flydsl_cpu.lowering.analysis.operations import is_plain, is_pure, take_out
from flydsl_cpu.lowering.vectors.scalars import is_elementwise, lane_count

_LEAST_CARRIED, _MOST_CARRIED = 8, 28
"""Registers that a loop carries from step to step: with fewer each waits for itself, and more do not fit."""
_NUMBER = 32
"""Bits of the numbers of which a register holds one for each thread of a vector."""


def stays_in_registers(loop: scf.ForOp, forms: LinearForms, width: int) -> bool:
    """Whether a loop of every thread is best run by vectors of `width` threads, with what it carries in registers."""
    return _has_width(forms, width) and _carries_enough(loop) and _Lanes(forms).take((loop,))


class ThreadVectors:
    """Whether the body of a loop over threads holds such a loop and all of it can be vectors, and the rewriting."""

    def __init__(self, body: Block, forms: LinearForms, width: int) -> None:
        self._lanes, self._width = _Lanes(forms), width
        loops = [op for op in body.ops if isinstance(op, scf.ForOp)]
        self.are_possible = (
            bool(loops)
            and _has_width(forms, width)
            and all(map(_carries_enough, loops))
            and self._lanes.take(tuple(body.ops))
        )

    def rewrite(self, inner: Block) -> None:
        """Let the operations of `inner`, which compute what the first thread does, do it for all lanes."""
        _Rewriter(self._lanes, self._width).rewrite(inner)


def narrowed(digits: Sequence[Digit], width: int) -> list[Digit]:
    """The digits with an innermost one of `width` threads."""
    first, *rest = digits
    assert first.extent is not None
    return [replace(first, extent=width), Digit(first.dim, first.extent // width, first.unit * width), *rest]


def _has_width(forms: LinearForms, width: int) -> bool:
    if not forms.digits:
        return False
    first = forms.digits[0]
    return first.dim == 0 and first.unit == 1 and first.extent is not None and first.extent % width == 0


def _carries_enough(loop: scf.ForOp) -> bool:
    if not _carries_numbers(loop):
        return False
    count = sum(-(-element_bits(result.type) // _NUMBER) for result in loop.results)
    return _LEAST_CARRIED <= count <= _MOST_CARRIED


def _carries_numbers(loop: scf.ForOp) -> bool:
    """Whether it carries no integers or addresses: those may grow from lane to lane."""
    return all(_is_number(result.type) for result in loop.results)


class _Lanes:
    """Which values differ from lane to lane as data; integers and addresses of scalars are those of the first lane."""

    def __init__(self, forms: LinearForms) -> None:
        self._forms = forms
        self._varying: dict[SSAValue, bool] = {}

    def take(self, ops: Iterable[Operation]) -> bool:
        """Note what varies among the results of operations; whether all of them can be vectors."""
        return all(map(self._takes, ops))

    def differ(self, value: SSAValue) -> bool:
        """Whether a value is a vector of the lanes' values."""
        found = self._varying.get(value)
        return 0 in self._forms.of(value).unknown if found is None else found

    def _takes(self, op: Operation) -> bool:
        if isinstance(op, scf.ForOp):
            return self._takes_loop(op)
        if op.regions or any(lane_count(value.type) for value in (*op.operands, *op.results)):
            return False
        if isinstance(op, llvm.LoadOp | llvm.StoreOp):
            return self._takes_access(op)
        varies = any(map(self.differ, op.operands))
        self._varying.update(dict.fromkeys(op.results, varies))
        if op.name == "gpu.thread_id":
            return True
        if not is_pure(op):
            return False
        steps = any(map(self._steps, op.operands))
        if varies:
            return is_elementwise(op) and len(op.results) == 1 and not steps
        return not steps or all(0 not in self._forms.of(result).unknown for result in op.results)

    def _takes_loop(self, loop: scf.ForOp) -> bool:
        *ops, terminator = loop.body.block.ops
        index, *carried = loop.body.block.args
        if not _carries_numbers(loop) or any(self.differ(v) or self._steps(v) for v in loop.operands[:3]):
            return False
        self._varying[index] = False
        self._varying.update(dict.fromkeys((*carried, *loop.results), True))
        return isinstance(terminator, scf.YieldOp) and self.take(ops)

    def _takes_access(self, op: llvm.LoadOp | llvm.StoreOp) -> bool:
        form = self._forms.of(op.ptr)
        accessed = op.results[0].type if isinstance(op, llvm.LoadOp) else op.value.type
        distance = form.coefficients.get(0, 0)
        self._varying.update(dict.fromkeys(op.results, bool(distance)))
        if not is_plain(op) or 0 in form.unknown or self.differ(op.ptr) or not _is_number(accessed):
            return False
        return distance == size_of(accessed) or (not distance and isinstance(op, llvm.LoadOp))

    def _steps(self, value: SSAValue) -> bool:
        """Whether an integer or address grows from lane to lane."""
        return 0 in self._forms.of(value).coefficients


class _Rewriter:
    """Puts a vector in the place of each value that differs between lanes."""

    def __init__(self, lanes: _Lanes, width: int) -> None:
        self._lanes, self._width = lanes, width
        self._vectors: dict[SSAValue, SSAValue] = {}
        self._spread: dict[tuple[SSAValue, Block], SSAValue] = {}

    def rewrite(self, block: Block) -> None:
        """Rewrite the operations of a block other than its terminator's."""
        for op in list(block.ops):
            if isinstance(op, scf.ForOp):
                self._loop(op)
            elif isinstance(op, llvm.StoreOp):
                build = LLVMBuilder.before_op(op)
                build.store(self._vector(op, op.value), op.ptr, _alignment(op))
                take_out(op)
            elif any(map(self._lanes.differ, op.results)):
                self._vectors[op.results[0]] = self._of(LLVMBuilder.before_op(op), op)
                take_out(op)

    def _of(self, build: LLVMBuilder, op: Operation) -> SSAValue:
        type_ = VectorType(op.results[0].type, [self._width])
        if isinstance(op, llvm.LoadOp):
            return build.load(op.ptr, type_, _alignment(op))
        operands = [self._vector(op, value) for value in op.operands]
        return build.create(type(op), operands, (type_,), op.attributes, properties=op.properties).results[0]

    def _loop(self, loop: scf.ForOp) -> None:
        initial = [self._vector(loop, value) for value in loop.operands[3:]]
        index, *carried = loop.body.block.args
        types = [value.type for value in initial]
        body = Block(arg_types=(index.type, *types))
        self._vectors.update(zip(carried, body.args[1:], strict=True))
        index.replace_all_uses_with(body.args[0])
        build = LLVMBuilder(body)
        *ops, terminator = list(loop.body.block.ops)
        for op in ops:
            build.move(op)
        self.rewrite(body)
        LLVMBuilder(body).create(scf.YieldOp, [self._vector(terminator, value, body) for value in terminator.operands])
        made = LLVMBuilder.before_op(loop).create(
            scf.ForOp,
            (*loop.operands[:3], *initial),
            types,
            annotation_of(loop),
            regions=[Region(body)],
            properties=loop.properties,
        )
        self._vectors.update(zip(loop.results, made.results, strict=True))
        take_out(loop)

    def _vector(self, user: Operation, value: SSAValue, end: Block | None = None) -> SSAValue:
        """The vector of a value in front of `user`, or at the end of a block; a number that lanes share is spread."""
        if value in self._vectors:
            return self._vectors[value]
        block = end or user.parent
        assert block is not None
        if (value, block) not in self._spread:
            type_ = VectorType(value.type, [self._width])
            build = LLVMBuilder(block) if end is not None else LLVMBuilder.before_op(user)
            self._spread[value, block] = build.value(vector.BroadcastOp, (value,), type_)
        return self._spread[value, block]


def _is_number(type_: Attribute) -> bool:
    return isinstance(type_, AnyFloat) and element_bits(type_) >= 16


def _alignment(op: llvm.LoadOp | llvm.StoreOp) -> int:
    type_ = op.results[0].type if isinstance(op, llvm.LoadOp) else op.value.type
    return op.alignment.value.data if op.alignment is not None else size_of(type_)
