"""The pass `convert-fly-ktrace`: trace annotations become records in a trace buffer.

The kernel's attribute `fly_ktrace.buffer = <n>` says which of its arguments is the buffer: a pointer to i64 in global
memory. Without the attribute nothing is recorded and the annotations vanish. The buffer, in words of 64 bits:

    word 0          records asked for so far, zeroed before the launch; may exceed the capacity: then records were lost
    word 1          capacity in records
    word 2 + 4 r    record r: time in cycles of the executing unit; label << 8 | kind; block << 32 | thread; payload

Block and thread are linear (x fastest). Kinds: 0 mark, 1 push, 2 pop, 3 start, 4 stop; the payload of a stop is the
number of its start record. A label is an index into the module's attribute `fly_ktrace.labels`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import gpu
from xdsl.dialects.builtin import ArrayAttr, IndexType, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from flydsl.base.errors import IRError
from flydsl.ir.fly import ToLlvmPtrOp
from flydsl.ir.fly.types import PointerType
from flydsl.ir.ktrace import KTRACE, RecordOp, TokenType
from flydsl.passes.located import located
from flydsl.passes.rewriting import erase, functions, walk
from flydsl.passes.to_llvm.builder import LLVMBuilder, pointer_type
from flydsl.passes.to_llvm.intrinsics import call_intrinsic

BUFFER = "fly_ktrace.buffer"
LABELS = "fly_ktrace.labels"
KINDS = {"mark": 0, "range_push": 1, "range_pop": 2, "range_start": 3, "range_stop": 4}

_HEADER_WORDS, _RECORD_WORDS = 2, 4
_INACTIVE = -1
_ADD, _MONOTONIC = 1, 2


@dataclass(frozen=True)
class ConvertFlyKtrace(ModulePass):
    """Expand the annotations of kernels into stores to their trace buffer, or remove them where there is none."""

    name = "convert-fly-ktrace"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        labels: dict[str, int] = {}
        for function in functions(op):
            _convert(function, labels)
        if labels:
            op.attributes[LABELS] = ArrayAttr([StringAttr(label) for label in labels])


def _convert(function: Operation, labels: dict[str, int]) -> None:
    annotations = [op for op in walk(function) if isinstance(op, tuple(KTRACE.operations))]
    recorder: _Recorder | None = None
    if annotations and (index := function.attributes.pop(BUFFER, None)) is not None:
        with located(function):
            recorder = _Recorder.in_kernel(function, index, labels)
    _retype_tokens(function)
    for op in annotations:
        with located(op):
            _expand(op, recorder)


def _retype_tokens(function: Operation) -> None:
    """A token becomes the number of its start record, also where regions carry it."""
    for op in walk(function):
        values: list[SSAValue] = [*op.results, *(arg for region in op.regions for b in region.blocks for arg in b.args)]
        for value in values:
            if isinstance(value.type, TokenType):
                value._type = i64


def _expand(op: Operation, recorder: _Recorder | None) -> None:
    build = LLVMBuilder.before_op(op)
    slot: SSAValue | None = None
    kind = op.name.removeprefix("fly_ktrace.")
    if recorder is not None and kind == "range_stop":
        active = build.compare("ne", op.operands[0], build.constant(_INACTIVE, i64))
        _, then, otherwise = build.if_(active)
        recorder.record(then, kind, "", op.operands[0])
        then.yield_()
        otherwise.yield_()
    elif recorder is not None and kind != "inactive_token":
        payload = build.integer_cast(op.operands[0], i64) if op.operands else build.constant(0, i64)
        slot = recorder.record(build, kind, op.label if isinstance(op, RecordOp) else "", payload)
    if op.results:
        op.results[0].replace_all_uses_with(build.constant(_INACTIVE, i64) if slot is None else slot)
    erase(op)


@dataclass(frozen=True)
class _Recorder:
    """Writes records of one kernel: its buffer and who the thread is are computed once, at the kernel's start."""

    buffer: SSAValue
    capacity: SSAValue
    thread: SSAValue
    labels: dict[str, int] = field(repr=False)

    @classmethod
    def in_kernel(cls, kernel: Operation, index: object, labels: dict[str, int]) -> _Recorder:
        block = kernel.regions[0].blocks[0]
        assert block.first_op is not None
        build = LLVMBuilder.before_op(block.first_op)
        argument = _buffer_argument(kernel, index)
        buffer = build.value(ToLlvmPtrOp, (argument,), pointer_type())
        capacity = build.load(build.gep(buffer, (1,), i64), i64)
        place = build.bit_or(
            _shift(build, _linear(build, gpu.BlockIdOp, gpu.GridDimOp), 32),
            _linear(build, gpu.ThreadIdOp, gpu.BlockDimOp),
        )
        return cls(buffer, capacity, place, labels)

    def record(self, build: LLVMBuilder, kind: str, label: str, payload: SSAValue) -> SSAValue:
        """Claim a record, write it if there is room, and give its number."""
        name = self.labels.setdefault(label, len(self.labels)) if label else 0
        order = {"bin_op": IntegerAttr(_ADD, i64), "ordering": IntegerAttr(_MONOTONIC, i64)}
        slot = build.raw("llvm.atomicrmw", (self.buffer, build.constant(1, i64)), (i64,), order).results[0]
        _, then, otherwise = build.if_(build.compare("ult", slot, self.capacity))
        first = then.add(then.mul(slot, then.constant(_RECORD_WORDS, i64)), then.constant(_HEADER_WORDS, i64))
        cycles = call_intrinsic(then, "llvm.readcyclecounter", (), (i64,)).results[0]
        words = (cycles, then.constant(name << 8 | KINDS[kind], i64), self.thread, payload)
        for word, value in enumerate(words):
            then.store(value, then.gep(self.buffer, (then.add(first, then.constant(word, i64)),), i64))
        then.yield_()
        otherwise.yield_()
        return slot


def _buffer_argument(kernel: Operation, index: object) -> SSAValue:
    arguments = kernel.regions[0].blocks[0].args
    number = index.value.data if isinstance(index, IntegerAttr) else index
    if not isinstance(number, int) or not 0 <= number < len(arguments):
        raise IRError(f"{BUFFER} must be the number of one of {len(arguments)} arguments, found {index}")
    argument = arguments[number]
    if not (isinstance(argument.type, PointerType) and argument.type.element == i64):
        raise IRError(f"{BUFFER} = {number} must name a pointer to i64 in global memory, found {argument.type}")
    return argument


def _linear(build: LLVMBuilder, position: type[Operation], extent: type[Operation]) -> SSAValue:
    """x + X * (y + Y * z) as i64."""

    def read(op: type[Operation], dimension: gpu.DimensionEnum) -> SSAValue:
        index = build.value(op, (), IndexType(), {"dimension": gpu.DimensionAttr(dimension)})
        return build.cast_index(index, i64)

    x, y, z = gpu.DimensionEnum
    row = build.add(read(position, y), build.mul(read(extent, y), read(position, z)))
    return build.add(read(position, x), build.mul(read(extent, x), row))


def _shift(build: LLVMBuilder, value: SSAValue, bits: int) -> SSAValue:
    return build.mul(value, build.constant(1 << bits, i64))
