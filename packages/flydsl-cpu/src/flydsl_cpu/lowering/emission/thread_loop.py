"""Loop nests over the threads of a block, with an innermost loop that the vectoriser understands.

Between two synchronisations threads may not race on memory other than by atomics, so the accesses of different
iterations are independent: they form an access group of the loops, which lets LLVM vectorise without alias checks. As
it then does not look for dependences within an iteration either, loops in which it might break one are not marked
(`access_order.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, i32, i64
from xdsl.ir import Block, Region, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import append, clone, operations
from flydsl_cpu.lowering.analysis.linear_forms import DIVISIONS, Digit, LinearForms, split_digits
from flydsl_cpu.lowering.analysis.operations import replace_inside, take_out
from flydsl_cpu.lowering.emission.guards import Guards, only_counter
from flydsl_cpu.lowering.emission.prefetches import Ahead, weighted_sum
from flydsl_cpu.lowering.kernels import Extents
from flydsl_cpu.lowering.memory.access_order import AccessOrder
from flydsl_cpu.lowering.memory.accesses import loop_annotation, mark_accesses
from flydsl_cpu.lowering.memory.apart_arguments import ApartArguments
from flydsl_cpu.lowering.memory.memory_objects import MemoryObjects
from flydsl_cpu.lowering.vectors.flat_loops import FlatLoop
from flydsl_cpu.lowering.vectors.scalars import has_neighbouring_vectors, split_vectors
from flydsl_cpu.lowering.vectors.thread_vectors import ThreadVectors, narrowed

_MAX_VERSIONED = 800
"""Operations of a body up to which a second version is worth the code."""


@dataclass(frozen=True, slots=True)
class BlockShape:
    """Threads per block: per dimension the i32 value, and the number when it is known at compile time."""

    extents: tuple[SSAValue, SSAValue, SSAValue]
    known: Extents
    zero: SSAValue
    one: SSAValue
    zero64: SSAValue
    width: int
    """Threads that a vector register has a number each of."""


class ThreadLoop:
    """One loop over the threads that is open for operations at `builder`; `close` puts it into the function."""

    __slots__ = ("_body", "_group", "_linear", "_objects", "_shape", "builder", "ids")

    def __init__(self, shape: BlockShape, group: int, objects: MemoryObjects) -> None:
        self._shape, self._group, self._objects = shape, group, objects
        self._body = Block(arg_types=(i32, i32, i32))
        self.builder = LLVMBuilder(self._body)
        self.ids = tuple(
            shape.zero if known == 1 else argument for known, argument in zip(shape.known, self._body.args, strict=True)
        )
        self._linear: SSAValue | None = None

    def linear_id(self) -> SSAValue:
        """x + dim_x * (y + dim_y * z) of the current thread, as i64."""
        if self._linear is None:
            build, (x, y, z), shape = self.builder, self.ids, self._shape
            row = y
            if shape.known[2] != 1:
                row = build.add(y, build.mul(z, shape.extents[1], nsw=True), nsw=True)
            linear = x
            if row is not shape.zero:
                linear = build.add(x, build.mul(row, shape.extents[0], nsw=True), nsw=True)
            self._linear = shape.zero64 if linear is shape.zero else build.integer_cast(linear, i64)
        return self._linear

    def close(self, current: Block) -> Block:
        """Run the loop after `current`, and return the block that follows it."""
        region = current.parent
        assert region is not None, "the block is in no function"
        ahead = Ahead(self._body, self._shape.known)
        digits, forms = split_digits(self._body, self._shape.known)
        nest = _Nest(region, self._shape, digits, self._group, ahead)
        order = AccessOrder(self._body, forms, self._objects)
        guards = Guards(self._body, forms)
        if len(operations(self._body)) > _MAX_VERSIONED:
            return nest.emit(current, self._body, forms, order.parallel)
        apart = ApartArguments(self._body, forms, order) if order.depends_on_arguments else None
        if apart is not None and not apart.are_checkable:
            apart = None
        if not guards.branches and apart is None:
            return nest.emit(current, self._body, forms, order.parallel)
        return self._close_versions(current, nest, guards, apart, order, forms)

    def _close_versions(
        self,
        current: Block,
        nest: _Nest,
        guards: Guards,
        apart: ApartArguments | None,
        order: AccessOrder,
        forms: LinearForms,
    ) -> Block:
        """Two versions: one without the branches that all threads take and for arguments that do not overlap, and one
        as written.
        """
        region, shape, build = nest.region, self._shape, LLVMBuilder(current)
        last = [build.sub(extent, shape.one) for extent in shape.extents]
        conditions = [guards.check(build, (last[0], last[1], last[2]), shape.zero)] if guards.branches else []
        if apart is not None:
            conditions += apart.check(build, last, shape.zero)
        copy, copies = _copied(self._body)
        fast, slow, after = Block(), Block(), Block()
        for block in (fast, slow):
            region.add_block(block)
        build.create(
            llvm.CondBrOp,
            (reduce(build.bit_and, conditions),),
            properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 0])},
            successors=(fast, slow),
        )
        if guards.branches:  # without them nothing was checked, and choices of values stay
            guards.inline()
        marked = order.parallel if apart is None else order.parallel_when_apart
        versions = (
            (fast, self._body, LinearForms(self._body, nest.digits), marked),
            (slow, copy, forms.renamed(copies), order.parallel),
        )
        for start, body, known, parallel in versions:
            LLVMBuilder(nest.emit(start, body, known, parallel)).branch(after)
        region.add_block(after)
        return after


@dataclass(frozen=True, slots=True)
class _Nest:
    """Emits a loop body under one loop per digit of the thread ids; the first digit is innermost."""

    region: Region
    shape: BlockShape
    digits: list[Digit]
    group: int
    ahead: Ahead

    def emit(self, current: Block, body: Block, forms: LinearForms, parallel: frozenset[int]) -> Block:
        """Loops over `body` after `current`, those of the digits in `parallel` marked; the block that follows them."""
        vectors = ThreadVectors(body, forms, self.shape.width)
        if vectors.are_possible and self.digits[0].extent != self.shape.width:
            narrower = replace(self, digits=narrowed(self.digits, self.shape.width))
            return narrower.emit(current, body, LinearForms(body, narrower.digits), frozenset())
        headers = [Block(arg_types=(i32,)) for _ in self.digits]
        inner = headers[0] if headers else Block()
        only = 0 if vectors.are_possible else only_counter(body, forms) if headers else None
        entry = LLVMBuilder(current)
        for header in [*reversed(headers), *([] if headers else [inner])]:
            self.region.add_block(header)
            start = entry.constant(only) if only and header is inner else self.shape.zero
            entry.branch(header, *((start,) if headers else ()))
            entry = LLVMBuilder(header)
        if len(headers) > 1:
            branch = headers[1].last_op
            assert branch is not None
            outer = [header.args[0] for header in headers[1:]]
            self.ahead.emit(LLVMBuilder.before_op(branch), forms, outer, self.shape.zero)
        flat = FlatLoop(body, forms) if headers and not vectors.are_possible else None
        splitting = bool(headers) and has_neighbouring_vectors(body, forms, 0)
        counters: list[SSAValue] = [header.args[0] for header in headers]
        if flat is not None and flat.lanes:
            self._fill(inner, body, forms, [self.shape.zero, *counters[1:]])
            flat.rewrite(inner, counters[0])
        elif vectors.are_possible:
            self._fill(inner, body, forms, [self.shape.zero, *counters[1:]])
            vectors.rewrite(inner)
        else:
            self._fill(inner, body, forms, counters)
            if splitting:
                split_vectors(inner)
        lanes = flat.lanes if flat is not None else 0
        if lanes:
            parallel |= {0}  # neighbouring accesses alone, which are not moved
        if parallel:
            mark_accesses(inner, self.group)
        return self._leave(inner, headers, lanes, only, parallel)

    def _fill(self, inner: Block, body: Block, forms: LinearForms, counters: list[SSAValue]) -> None:
        """Move the body's operations into `inner`, with thread ids and their quotients as sums of counters."""
        build = LLVMBuilder(inner)
        divisions = [
            (op, form) for op in operations(body, DIVISIONS) if (form := forms.quotient_or_remainder(op)) is not None
        ]
        for argument in body.args:
            if argument.first_use is not None:
                argument.replace_all_uses_with(
                    weighted_sum(build, forms.of(argument).coefficients, counters, self.shape.zero)
                )
        for op, form in divisions:
            at = LLVMBuilder.before_op(op)
            total = weighted_sum(at, form.coefficients, counters, self.shape.zero)
            replace_inside(body, op.results[0], at.integer_cast(total, op.results[0].type))
            take_out(op)
        for op in list(body.ops):
            build.move(op)

    def _leave(
        self, inner: Block, headers: list[Block], lanes: int, only: int | None, parallel: frozenset[int]
    ) -> Block:
        """Close every loop, innermost first, which runs over `lanes` of each thread when there are any, or once."""
        current = inner
        for index, (digit, header) in enumerate(zip(self.digits, headers, strict=True)):
            build = LLVMBuilder(current)
            following = build.add(header.args[0], self.shape.one, nsw=True)
            times = lanes if lanes and header is headers[0] else 1
            if only is not None and header is headers[0]:
                extent = build.constant(only + 1)
            elif digit.extent is not None:
                extent = build.constant(digit.extent * times)
            else:
                extent = self.shape.extents[digit.dim]
                extent = build.mul(extent, build.constant(times)) if times > 1 else extent
            more = build.compare("slt", following, extent)
            current = Block()
            self.region.add_block(current)
            build.create(
                llvm.CondBrOp,
                (more, following),
                attributes={"loop_annotation": loop_annotation(self.group)} if index in parallel else {},
                properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, 0])},
                successors=(header, current),
            )
        return current


def _copied(body: Block) -> tuple[Block, dict[SSAValue, SSAValue]]:
    """A detached copy of a block, and what stands in it for each value."""
    copy = Block(arg_types=body.arg_types)
    values: dict[SSAValue, SSAValue] = dict(zip(body.args, copy.args, strict=True))
    for op in body.ops:
        append(copy, clone(op, values))
    return copy, values
