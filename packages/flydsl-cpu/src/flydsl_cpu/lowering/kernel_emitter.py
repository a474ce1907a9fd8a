"""A gpu.func body and its plan in, native control flow around thread loops out.

Uniform pure operations are emitted once; runs of other operations become thread loops; structured operations that
hold a synchronisation become branches at block scope, with what they carry from thread to thread in per-thread
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf, func, llvm
from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.passes.to_llvm.builder import LLVMBuilder
from flydsl_cpu.lowering.arrays import PerThreadArray
from flydsl_cpu.lowering.exchanges import exchange_result
from flydsl_cpu.lowering.kernel_abi import KernelEntry
from flydsl_cpu.lowering.operations import EXCHANGES, error_at, is_pure
from flydsl_cpu.lowering.private_memory import allocation_bytes, is_kept
from flydsl_cpu.lowering.segments import Segments
from flydsl_cpu.lowering.thread_loop import ThreadLoop
from flydsl_cpu.lowering.uniformity import Degree, Uniformity

__all__ = ["KernelEmitter"]


class KernelEmitter:
    """Moves the operations of one kernel into its native function."""

    def __init__(self, entry: KernelEntry, segments: Segments, uniformity: Uniformity) -> None:
        self.entry, self._segments, self._uniformity = entry, segments, uniformity
        self._current = Block()
        entry.function.body.add_block(self._current)
        self._start = self._current
        self._arrays: dict[SSAValue, PerThreadArray] = {}
        self._loop: ThreadLoop | None = None
        self._here: dict[SSAValue, SSAValue] = {}
        self._operands: dict[Operation, tuple[SSAValue, ...]] = {}
        self._groups = 0

    def emit(self, body: Block) -> int:
        """Emit the whole body; the bytes of scratch memory it needs per thread."""
        self._emit_block(body)
        self._flush()
        LLVMBuilder(self._current).create(func.ReturnOp)
        scratch = self.entry.arrays.finish()
        self.entry.prologue.branch(self._start)
        return scratch

    # operations at block scope

    def _emit_block(self, block: Block) -> None:
        for op in list(block.ops):
            if op is not block.last_op or op.results:
                self._emit(op)

    def _emit(self, op: Operation) -> None:
        name = op.name
        if op in self._segments.hoisted:
            self._emit_structured(op)
        elif name == "gpu.barrier":
            self._flush()
        elif name in EXCHANGES:
            self._emit_exchange(op)
        elif isinstance(op, llvm.AllocaOp):
            self._emit_alloca(op)
        elif self._is_block_operation(op):
            LLVMBuilder(self._current).move(op)
        elif name != "gpu.thread_id" and not self._is_recomputed_only(op):
            self._emit_in_thread(op)

    def _is_block_operation(self, op: Operation) -> bool:
        return bool(op.results) and is_pure(op) and all(self._uniformity.is_uniform(r) for r in op.results)

    def _is_recomputed_only(self, op: Operation) -> bool:
        """Pure and only used in other segments, where it is computed again."""
        if not op.results or not is_pure(op) or any(r in self._segments.spilled for r in op.results):
            return False
        own = self._segments.number(op)
        return all(segment != own for result in op.results for segment in self._segments.uses(result))

    def _emit_in_thread(self, op: Operation) -> None:
        self._operands[op] = tuple(op.operands)
        self._import_operands(op)
        loop = self._open()
        loop.builder.move(op)
        for result in op.results:
            self._define(result, result)

    def _define(self, value: SSAValue, computed: SSAValue) -> None:
        """Make `value` known in this segment as `computed`, and keep it when another segment needs it."""
        self._here[value] = computed
        if value in self._segments.spilled:
            self._write(self._array(value), computed)

    def _emit_alloca(self, op: llvm.AllocaOp) -> None:
        if is_kept(op, self._segments):
            self._arrays[op.results[0]] = self.entry.arrays.allocate_bytes(*allocation_bytes(op))
            return
        count = op.operands[0].owner
        assert isinstance(count, Operation)
        self._uniformity.add_uniform(op.results[0])
        op.operands[0] = self.entry.prologue.insert(count.clone()).results[0]
        self.entry.prologue.move(op)

    def _emit_exchange(self, op: Operation) -> None:
        value = op.operands[0]
        if self._uniformity.is_uniform(value):
            source: PerThreadArray | SSAValue = value
        elif isinstance(value.owner, Block):
            # A carried value's array is rewritten at the end of the region, maybe in the segment that reads it here.
            source = self.entry.arrays.allocate(value.type)
            self._write(source, self._resolve(value))
        else:
            source = self._arrays[value]
        self._flush()
        for index in range(1, len(op.operands)):
            op.operands[index] = self._resolve(op.operands[index])
        for result, computed in zip(op.results, exchange_result(op, self._open(), source, self.entry), strict=True):
            self._define(result, computed)

    # values

    def _open(self) -> ThreadLoop:
        if self._loop is None:
            self._loop = ThreadLoop(self.entry.shape, self._groups)
            self._groups += 1
        return self._loop

    def _flush(self) -> None:
        if self._loop is not None:
            self._current = self._loop.close(self._current)
            self._loop = None
        self._here = {}

    def _array(self, value: SSAValue) -> PerThreadArray:
        if value not in self._arrays:
            self._arrays[value] = self.entry.arrays.allocate(value.type)
        return self._arrays[value]

    def _write(self, array: PerThreadArray, value: SSAValue) -> None:
        loop = self._open()
        array.store(loop.builder, value, array.address(loop.builder, loop.linear_id()))

    def _resolve(self, value: SSAValue) -> SSAValue:
        """What stands for `value` in the open segment: itself, a thread id, an array element, or a copy of its
        computation.
        """
        if self._uniformity.is_uniform(value) or not self._segments.is_block_level(value):
            return value
        if value not in self._here:
            self._here[value] = self._materialise(value)
        return self._here[value]

    def _materialise(self, value: SSAValue) -> SSAValue:
        loop, owner = self._open(), value.owner
        if isinstance(owner, Operation) and owner.name == "gpu.thread_id":
            dimension = owner.properties["dimension"].data  # type: ignore[attr-defined]
            return loop.builder.integer_cast(loop.ids["xyz".index(dimension)], value.type)
        if value in self._arrays:
            array = self._arrays[value]
            address = array.address(loop.builder, loop.linear_id())
            return address if isinstance(owner, llvm.AllocaOp) else array.load(loop.builder, address)
        assert isinstance(owner, Operation), "a carried value without an array"
        operands = self._operands.get(owner, owner.operands)
        copy = owner.clone(dict(zip(owner.operands, map(self._resolve, operands), strict=True)))
        loop.builder.insert(copy)
        for result, copied in zip(owner.results, copy.results, strict=True):
            self._here[result] = copied
        return self._here[value]

    def _import_operands(self, op: Operation) -> None:
        for nested in op.walk():
            for index, operand in enumerate(nested.operands):
                resolved = self._resolve(operand)
                if resolved is not operand:
                    nested.operands[index] = resolved

    def _read_for_block(self, value: SSAValue, op: Operation, what: str) -> SSAValue:
        """`value` at block scope: itself when uniform, else that of thread 0, which all threads must agree with."""
        if self._uniformity.is_uniform(value):
            return value
        if self._uniformity.degree(value) is Degree.DIVERGENT:
            raise error_at(
                op,
                f"a barrier or exchange inside {op.name!r} whose {what} depends on the thread id: "
                "not all threads would reach it; move it out or make the condition the same for the whole block",
            )
        array = self._arrays[value]
        return array.load(LLVMBuilder(self._current), array.base)

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
        for array, value in [(a, self._resolve(v)) for a, v in zip(arrays, values, strict=True)]:
            self._write(array, value)

    def _new_block(self, types: Sequence[Attribute] = ()) -> Block:
        block = Block(arg_types=types)
        self.entry.function.body.add_block(block)
        return block

    def _replace(self, old: SSAValue, new: SSAValue) -> None:
        self._uniformity.add_uniform(new)
        old.replace_all_uses_with(new)

    def _emit_for(self, op: Operation) -> None:
        body = op.regions[0].block
        initial, carried = list(op.operands[3:]), body.args[1:]
        varying = self._varying(carried)
        uniform = [i for i in range(len(carried)) if i not in varying]
        arrays = self._share_arrays(varying, carried, op.results)
        self._carry(arrays, [initial[i] for i in varying])
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
        self._jump(header, following, *(yielded[i] for i in uniform))
        self._current = after

    def _emit_if(self, op: Operation) -> None:
        varying = self._varying(op.results)
        uniform = [i for i in range(len(op.results)) if i not in varying]
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
            if i not in passed:
                self._replace(body.args[i], values[i])
                self._replace(op.results[i], values[i])
        self._current = inside
        yielded = self._emit_region(body, arrays, varying)
        self._jump(header, *(yielded[i] for i in uniform))
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

    def _jump(self, target: Block, *arguments: SSAValue) -> None:
        LLVMBuilder(self._current).create(cf.BranchOp, arguments, successors=(target,))

    def _fork(self, condition: SSAValue, at: Block, then: Block, otherwise: Block) -> None:
        LLVMBuilder(at).create(
            cf.ConditionalBranchOp,
            (condition,),
            properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 0, 0])},
            successors=(then, otherwise),
        )
