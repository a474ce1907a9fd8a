"""Native control flow around thread loops, emitted from a kernel's segment plan.

Uniform pure operations are emitted once; runs of other operations become thread loops; structured operations that
hold a synchronisation become branches at block scope, with what they carry from thread to thread in per-thread
arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import cf, func
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.ir import annotation_of
from flydsl.backend.llvm import LLVMBuilder
from flydsl_cpu.lowering.emission.segment_emitter import SegmentEmitter
from flydsl_cpu.lowering.kernels import error_at
from flydsl_cpu.lowering.memory.arrays import PerThreadArray
from flydsl_cpu.lowering.schedule.segments import BLOCK_SCOPE


class KernelEmitter(SegmentEmitter):
    """Emits the body of one kernel, with its control flow."""

    def emit(self, body: Block) -> tuple[int, int]:
        """Emit the whole body; the bytes of scratch memory it needs per thread, and those for the block."""
        self._emit_block(body)
        self._flush()
        LLVMBuilder(self._current).create(func.ReturnOp)
        scratch = self.entry.arrays.finish()
        self.entry.prologue.branch(self._start)
        return scratch

    # control flow at block scope

    def _emit_structured(self, op: Operation) -> None:
        emit = {"scf.for": self._emit_for, "scf.if": self._emit_if, "scf.while": self._emit_while}.get(op.name)
        if emit is None:
            raise error_at(op, f"a barrier or exchange inside {op.name!r} is not supported on the CPU")
        emit(op)

    def _varying(self, values: Sequence[SSAValue]) -> list[int]:
        return [i for i, value in enumerate(values) if not self._uniformity.is_uniform(value)]

    def _share_arrays(self, indices: Sequence[int], *groups: Sequence[SSAValue]) -> list[PerThreadArray]:
        """One new array per index, for the values at that index of every group."""
        arrays = []
        for index in indices:
            array = self.entry.arrays.allocate(groups[0][index].type)
            for group in groups:
                self._arrays[group[index]] = array
            arrays.append(array)
        return arrays

    def _carry(self, arrays: Sequence[PerThreadArray], values: Sequence[SSAValue]) -> None:
        """Write carried values; all are read before any is written, since one may be another's array."""
        pairs = [(a, v) for a, v in zip(arrays, values, strict=True) if self._arrays.get(v) is not a]
        for array, value in [(a, self._resolve(v)) for a, v in pairs]:
            self._write(array, value)

    def _write_at_definition(
        self, array: PerThreadArray, carried: SSAValue, terminator: Operation | None, i: int
    ) -> None:
        """Let the next value of `carried` be written where it is computed, when the old one is not read after that."""
        assert terminator is not None
        following = terminator.operands[i]
        owner = following.owner
        if not isinstance(owner, Operation) or owner.parent is not terminator.parent or following in self._arrays:
            return
        if (
            self._uniformity.is_uniform(following)
            or owner in self._segments.hoisted
            or list(terminator.operands).count(following) > 1
        ):
            return
        defined = self._segments.number(owner)
        if all(BLOCK_SCOPE < segment <= defined for segment in self._segments.uses(carried)):
            self._arrays[following] = array
            self._segments.spilled.add(following)
            self._replaced[following] = carried

    def _new_block(self, types: Sequence[Attribute] = ()) -> Block:
        block = Block(arg_types=types)
        self.entry.function.body.add_block(block)
        return block

    def _emit_for(self, op: Operation) -> None:
        body = op.regions[0].block
        initial, carried = list(op.operands[3:]), body.args[1:]
        varying = self._varying(carried)
        uniform = [i for i in range(len(carried)) if i not in varying]
        varying = [i for i in varying if _is_used(carried[i]) or _is_used(op.results[i])]
        arrays = self._share_arrays(varying, carried, op.results)
        self._carry(arrays, [initial[i] for i in varying])
        for array, i in zip(arrays, varying, strict=True):
            self._write_at_definition(array, carried[i], body.last_op, i)
        self._flush()
        lower, upper, step = (self._read_for_block(v, op, "range") for v in op.operands[:3])
        header = self._new_block([lower.type, *(carried[i].type for i in uniform)])
        inside, after = self._new_block(), self._new_block()
        self._jump(header, lower, *(initial[i] for i in uniform))
        predicate = "ult" if "unsignedCmp" in op.properties else "slt"
        self._fork(LLVMBuilder(header).compare(predicate, header.args[0], upper), header, inside, after)
        self._replace(body.args[0], header.args[0])
        for argument, i in zip(header.args[1:], uniform, strict=True):
            self._replace(carried[i], argument)
            self._replace(op.results[i], argument)
        self._current = inside
        yielded = self._emit_region(body, arrays, varying)
        following = LLVMBuilder(self._current).add(header.args[0], step)
        self._jump(header, following, *(yielded[i] for i in uniform), annotation=annotation_of(op))
        self._current = after

    def _emit_if(self, op: Operation) -> None:
        varying = self._varying(op.results)
        uniform = [i for i in range(len(op.results)) if i not in varying]
        varying = [i for i in varying if _is_used(op.results[i])]
        arrays = self._share_arrays(varying, op.results)
        self._flush()
        condition = self._read_for_block(op.operands[0], op, "condition")
        branches = [self._new_block(), self._new_block()]
        after = self._new_block([op.results[i].type for i in uniform])
        self._fork(condition, self._current, *branches)
        for block, region in zip(branches, op.regions, strict=True):
            self._current = block
            yielded = self._emit_region(region.block, arrays, varying) if region.blocks else ()
            self._jump(after, *(yielded[i] for i in uniform))
        for argument, i in zip(after.args, uniform, strict=True):
            self._replace(op.results[i], argument)
        self._current = after

    def _emit_while(self, op: Operation) -> None:
        before, body = op.regions[0].block, op.regions[1].block
        varying, passed = self._varying(before.args), self._varying(body.args)
        uniform = [i for i in range(len(before.args)) if i not in varying]
        varying = [i for i in varying if _is_used(before.args[i])]
        skipped = [i for i in passed if not (_is_used(body.args[i]) or _is_used(op.results[i]))]
        passed = [i for i in passed if i not in skipped]
        arrays = self._share_arrays(varying, before.args)
        forwarded = self._share_arrays(passed, body.args, op.results)
        initial = list(op.operands)
        self._carry(arrays, [initial[i] for i in varying])
        self._flush()
        header, inside, after = (
            self._new_block([before.args[i].type for i in uniform]),
            self._new_block(),
            self._new_block(),
        )
        self._jump(header, *(initial[i] for i in uniform))
        for argument, i in zip(header.args, uniform, strict=True):
            self._replace(before.args[i], argument)
        self._current = header
        condition, *values = self._emit_region(before, forwarded, passed, skip=1)
        decided = self._read_for_block(condition, op, "condition")
        self._fork(decided, self._current, inside, after)
        for i in range(len(values)):
            if i not in passed and i not in skipped:
                self._replace(body.args[i], values[i])
                self._replace(op.results[i], values[i])
        self._current = inside
        yielded = self._emit_region(body, arrays, varying)
        self._jump(header, *(yielded[i] for i in uniform), annotation=annotation_of(op))
        self._current = after

    def _emit_region(
        self, block: Block, arrays: Sequence[PerThreadArray], varying: Sequence[int], *, skip: int = 0
    ) -> list[SSAValue]:
        """Emit a region's operations and what its terminator passes on; the terminator's operands."""
        self._emit_block(block)
        terminator = block.last_op
        assert terminator is not None
        operands = list(terminator.operands)
        self._carry(arrays, [operands[skip + i] for i in varying])
        self._flush()
        return list(terminator.operands)

    def _jump(self, target: Block, *arguments: SSAValue, annotation: Mapping[str, Attribute] | None = None) -> None:
        LLVMBuilder(self._current).create(cf.BranchOp, arguments, attributes=annotation, successors=(target,))

    def _fork(self, condition: SSAValue, at: Block, then: Block, otherwise: Block) -> None:
        LLVMBuilder(at).create(
            cf.ConditionalBranchOp,
            (condition,),
            properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 0])},
            successors=(then, otherwise),
        )


def _is_used(value: SSAValue) -> bool:
    """Whether anything reads it: registers that a loop writes before it reads them are carried for nothing."""
    return value.first_use is not None
