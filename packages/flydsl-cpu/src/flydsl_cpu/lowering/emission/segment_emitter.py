"""Thread loops and shared values of one segment: which value stands for which while the segment is open.

Uniform pure operations are emitted once; runs of other operations become thread loops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from xdsl.dialects import llvm
from xdsl.ir import Attribute, Block, Operation, SSAValue

from flydsl.backend.llvm import LLVMBuilder
from flydsl.backend.rewriting import clone, operands_of, set_operand, walk
from flydsl_cpu.dialect import AgreedOp, ButterflyOp
from flydsl_cpu.lowering.analysis.operations import EXCHANGES, is_pure
from flydsl_cpu.lowering.analysis.uniformity import Degree, Uniformity
from flydsl_cpu.lowering.emission.butterflies import combine_lanes
from flydsl_cpu.lowering.emission.exchanges import exchange_result
from flydsl_cpu.lowering.emission.kernel_abi import KernelEntry
from flydsl_cpu.lowering.emission.thread_loop import ThreadLoop
from flydsl_cpu.lowering.emission.wave_shuffles import is_permutable, map_waves, permutation, wave_permutation
from flydsl_cpu.lowering.kernels import error_at, whole_waves
from flydsl_cpu.lowering.memory.arrays import PerThreadArray
from flydsl_cpu.lowering.schedule.private_memory import allocation_bytes, is_kept
from flydsl_cpu.lowering.schedule.segments import Segments
from flydsl_cpu.target import WARP_SIZE


class SegmentEmitter(ABC):
    """Moves operations of one kernel into its native function, and keeps what crosses from one segment to another."""

    def __init__(self, entry: KernelEntry, segments: Segments, uniformity: Uniformity) -> None:
        self.entry, self._segments, self._uniformity = entry, segments, uniformity
        self._waves = whole_waves(entry.shape.known, WARP_SIZE)
        self._current = Block()
        entry.function.body.add_block(self._current)
        self._start = self._current
        self._arrays: dict[SSAValue, PerThreadArray] = {}
        self._loop: ThreadLoop | None = None
        self._here: dict[SSAValue, SSAValue] = {}
        self._replaced: dict[SSAValue, SSAValue] = {}
        self._operands: dict[Operation, tuple[SSAValue, ...]] = {}
        self._permuted: dict[Attribute, PerThreadArray] = {}
        self._groups = 0

    # operations at block scope

    def _emit_block(self, block: Block) -> None:
        for op in list(block.ops):
            if op is not block.last_op or op.results:
                self._emit(op)

    @abstractmethod
    def _emit_structured(self, op: Operation) -> None:
        """Emit control flow that holds a synchronisation."""

    def _emit(self, op: Operation) -> None:
        name = op.name
        if op in self._segments.opening:
            self._flush()
        if op in self._segments.hoisted:
            self._emit_structured(op)
        elif name == "gpu.barrier":
            self._flush()
        elif op in self._segments.alone:
            self._emit_in_thread(op)
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
        self._operands[op] = operands_of(op)
        self._import_operands(op)
        loop = self._open()
        loop.builder.move(op)
        for result in op.results:
            self._define(result, result)

    def _define(self, value: SSAValue, computed: SSAValue) -> None:
        """Make `value` known in this segment as `computed`, and keep it when another segment needs it."""
        if value in self._replaced:
            self._resolve(self._replaced[value])  # read the old value before it is overwritten
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
        if isinstance(op, AgreedOp):
            self._replace(op.results[0], self._of_first_thread(source))
            return
        if isinstance(op, ButterflyOp):
            self._emit_butterfly(op, source)
            return
        if isinstance(source, PerThreadArray) and self._permute_into_place(op, source):
            return
        permuted = isinstance(source, PerThreadArray) and self._permute(op, source)
        for index in range(1, len(op.operands)):
            op.operands[index] = self._resolve(op.operands[index])
        read = permuted or source
        made = exchange_result(op, self._open(), read, self.entry, in_place=read is not source)
        for result, computed in zip(op.results, made, strict=True):
            self._define(result, computed)

    def _emit_butterfly(self, op: Operation, source: PerThreadArray | SSAValue) -> None:
        """All steps of a reduction over lanes; the array of its results is what other operations read."""
        result, waves = op.results[0], self._waves
        assert waves is not None, "shuffles were united in a block of unknown size"
        is_carried = result in self._arrays  # what this segment still reads is in its array
        target = self.entry.arrays.allocate(result.type) if is_carried else self._array(result)
        if isinstance(source, SSAValue):
            self._write(target, source)
            self._flush()
            source = target
        function = partial(combine_lanes, op)
        self._current = map_waves(self._current, source, target, function, waves)
        if is_carried:
            loop = self._open()
            self._define(result, target.load(loop.builder, loop.linear_id()))

    def _of_first_thread(self, source: PerThreadArray | SSAValue) -> SSAValue:
        """An element at block scope."""
        if isinstance(source, SSAValue):
            return source
        return source.load(LLVMBuilder(self._current), self.entry.shape.zero64)

    def _replace(self, old: SSAValue, new: SSAValue) -> None:
        self._uniformity.add_uniform(new)
        old.replace_all_uses_with(new)

    def _permute(self, op: Operation, source: PerThreadArray) -> PerThreadArray | None:
        """The values of `source` as the threads want them, when the lanes are known; one array serves all of a type."""
        lanes, waves = wave_permutation(op), self._waves
        if lanes is None or waves is None or not is_permutable(source.element):
            return None
        if source.type not in self._permuted:
            self._permuted[source.type] = self.entry.arrays.allocate(source.type)
        target = self._permuted[source.type]
        self._current = map_waves(self._current, source, target, partial(permutation, lanes=lanes), waves)
        return target

    def _permute_into_place(self, op: Operation, source: PerThreadArray) -> bool:
        """Permute into the array that other segments read the result from, where that is all that becomes of it."""
        result, is_valid = op.results
        lanes, waves = wave_permutation(op), self._waves
        if lanes is None or waves is None or not is_permutable(source.element) or is_valid.first_use is not None:
            return False
        if result not in self._segments.spilled or result in self._arrays or result in self._replaced:
            return False  # what this segment still reads may be in its array
        target = self._array(result)
        self._current = map_waves(self._current, source, target, partial(permutation, lanes=lanes), waves)
        return True

    # values

    def _open(self) -> ThreadLoop:
        if self._loop is None:
            self._loop = ThreadLoop(self.entry.shape, self._groups, self.entry.objects)
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
        array.store(loop.builder, value, loop.linear_id())

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
            thread = loop.linear_id()
            if isinstance(owner, llvm.AllocaOp):
                return array.address(loop.builder, thread)
            return array.load(loop.builder, thread)
        assert isinstance(owner, Operation), "a carried value without an array"
        operands = self._operands.get(owner, owner.operands)
        copy = clone(owner, dict(zip(owner.operands, map(self._resolve, operands), strict=True)))
        loop.builder.insert(copy)
        for result, copied in zip(owner.results, copy.results, strict=True):
            self._here[result] = copied
        return self._here[value]

    def _import_operands(self, op: Operation) -> None:
        for nested in walk(op) if op.regions else (op,):
            for index, operand in enumerate(operands_of(nested)):
                resolved = self._resolve(operand)
                if resolved is not operand:
                    set_operand(nested, index, resolved)

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
        return self._of_first_thread(self._arrays[value])
