"""Operations of one thread in, loops over all threads of the block out; the innermost loop runs over threadIdx.x and
is marked parallel.

Between two synchronisations threads may not race on memory other than by atomics, so the accesses of different
iterations are independent: they form an access group of the loop, which lets LLVM vectorise without alias checks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnregisteredAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder

__all__ = ["BlockShape", "ThreadLoop"]

_MEMORY_OPS = (llvm.LoadOp, llvm.StoreOp)


@dataclass(frozen=True, slots=True)
class BlockShape:
    """Threads per block: per dimension the i32 value, and the number when it is known at compile time."""

    extents: tuple[SSAValue, SSAValue, SSAValue]
    known: tuple[int | None, int | None, int | None]
    zero: SSAValue
    one: SSAValue
    zero64: SSAValue


class ThreadLoop:
    """One loop nest that is open for operations at `builder`; `close` puts it into the function."""

    __slots__ = ("_first", "_group", "_headers", "_linear", "_shape", "builder", "ids")

    def __init__(self, shape: BlockShape, group: int) -> None:
        self._shape, self._group = shape, group
        self._headers = [Block(arg_types=(i32,)) for dim in (2, 1, 0) if shape.known[dim] != 1]
        self._first = self._headers[-1] if self._headers else Block()
        self.builder = LLVMBuilder(self._first)
        ids, remaining = [shape.zero] * 3, list(self._headers)
        for dim in range(3):
            if shape.known[dim] != 1:
                ids[dim] = remaining[-1].args[0]
                remaining.pop()
        self.ids = tuple(ids)
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
        """Run the loops after `current`, and return the block that follows them."""
        region = current.parent
        assert region is not None, "the block is in no function"
        entry = LLVMBuilder(current)
        if not self._headers:
            region.add_block(self._first)
            entry.branch(self._first)
            return self.builder.block
        for header in self._headers:
            region.add_block(header)
            entry.branch(header, self._shape.zero)
            entry = LLVMBuilder(header)
        return self._latches(region_block=self.builder.block)

    def _latches(self, region_block: Block) -> Block:
        current = region_block
        dims = [dim for dim in range(3) if self._shape.known[dim] != 1]
        for innermost, (dim, header) in enumerate(zip(dims, reversed(self._headers), strict=True)):
            build = LLVMBuilder(current)
            following = build.add(header.args[0], self._shape.one, nsw=True)
            more = build.compare("slt", following, self._shape.extents[dim])
            exit_block = Block()
            assert header.parent is not None
            header.parent.add_block(exit_block)
            if innermost == 0:
                self._mark_accesses(header)
            self._loop_branch(build, more, header, following, exit_block, parallel=innermost == 0)
            current = exit_block
        return current

    def _loop_branch(
        self,
        build: LLVMBuilder,
        more: SSAValue,
        header: Block,
        following: SSAValue,
        exit_block: Block,
        *,
        parallel: bool,
    ) -> None:
        properties: dict[str, Attribute] = {"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1, 0])}
        if parallel:
            group = f"#llvm.access_group<id = distinct[{self._group}]<>>"
            properties["loop_annotation"] = _attribute("llvm.loop_annotation", f"parallelAccesses = {group}")
        build.create(llvm.CondBrOp, (more, following), properties=properties, successors=(header, exit_block))

    def _mark_accesses(self, header: Block) -> None:
        group = ArrayAttr([_attribute("llvm.access_group", f"id = distinct[{self._group}]<>")])
        for op in header.walk():
            if isinstance(op, _MEMORY_OPS) and not _is_private(op):
                op.properties["access_groups"] = group


def _attribute(name: str, value: str) -> Attribute:
    return UnregisteredAttr.with_name_and_type(name, False)(name, False, False, value)


def _is_private(op: Operation) -> bool:
    """Whether the address leads back to an alloca, which all iterations share."""
    pointer = op.operands[1 if isinstance(op, llvm.StoreOp) else 0]
    pending: list[SSAValue] = [pointer]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        owner = value.owner
        if value in seen:
            continue
        seen.add(value)
        if isinstance(owner, Block):
            if owner.parent_op() is not None and owner.parent_op().name.startswith("scf."):  # type: ignore[union-attr]
                return True
            continue
        if isinstance(owner, llvm.AllocaOp):
            return True
        pending.extend(_pointer_sources(owner))
    return False


def _pointer_sources(op: Operation) -> Sequence[SSAValue]:
    if isinstance(op, llvm.LoadOp):
        return ()
    return op.operands
