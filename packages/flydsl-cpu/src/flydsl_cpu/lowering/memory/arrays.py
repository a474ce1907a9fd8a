"""Per-thread arrays in a block's scratch memory: `array[lane][thread]`, contiguous over the threads.

A vector of many lanes takes one array per lane, so that neighbouring threads' lanes are neighbours in memory when the
thread loop is vectorised.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, VectorType, i8, i64
from xdsl.ir import Attribute, OpResult, SSAValue

from flydsl.backend.ir import element_bits
from flydsl.backend.llvm import LLVMBuilder, array_type, integers, size_of
from flydsl_cpu.lowering.memory.memory_objects import MemoryObjects

_SCRATCH_ALIGNMENT = 64
_LINE = 64
_SHORT = (2, 4, 8)
"""Lanes of vectors that LLVM takes apart by permutations where it has to."""


@dataclass(frozen=True, slots=True, eq=False)
class PerThreadArray:
    """Memory for one value of `type` per thread, in `element` units; `lanes` are the addresses of thread 0's lanes."""

    type: Attribute
    element: Attribute
    lanes: tuple[SSAValue, ...]
    offset: OpResult
    shift: OpResult

    @property
    def alignment(self) -> int:
        """What the offset from the start of scratch memory must be a multiple of."""
        size = size_of(self.element)
        return min(size & -size, _SCRATCH_ALIGNMENT)

    def address(self, build: LLVMBuilder, thread: SSAValue, lane: int = 0) -> SSAValue:
        """The place of a lane of `thread`, a linear thread id of type i64."""
        return build.gep(self.lanes[lane], (thread,), self.element, inbounds=True)

    def load(self, build: LLVMBuilder, thread: SSAValue) -> SSAValue:
        """The value of a thread."""
        scalar = _scalar(self.type)
        if self.element == self.type:
            return build.load(self.address(build, thread), self.element, self.alignment)
        values = [
            _from_memory(build, build.load(self.address(build, thread, lane), self.element, self.alignment), scalar)
            for lane in range(len(self.lanes))
        ]
        if not isinstance(self.type, VectorType):
            return values[0]
        flat = VectorType(scalar, [len(values)])
        made = build.raw("vector.from_elements", values, (flat,)).results[0]
        return _reshaped(build, made, self.type)

    def store(self, build: LLVMBuilder, value: SSAValue, thread: SSAValue) -> None:
        """Set the value of a thread."""
        if self.element == self.type:
            build.store(value, self.address(build, thread), self.alignment)
            return
        for lane, scalar in enumerate(_lanes(build, value)):
            address = self.address(build, thread, lane)
            build.store(_to_memory(build, scalar, self.element), address, self.alignment)


class PerThreadArrays:
    """Lays out the arrays of one kernel: address = scratch + threads * (bytes per thread of the arrays before) + shift.

    The lanes of a vector are a cache line further apart than they are long: else those of a thread would be a power of
    two apart in most blocks, and share few sets of the first cache.
    """

    __slots__ = ("_arrays", "_objects", "_prologue", "_scratch", "_threads")

    def __init__(self, prologue: LLVMBuilder, scratch: SSAValue, threads: SSAValue, objects: MemoryObjects) -> None:
        self._prologue, self._scratch, self._threads, self._objects = prologue, scratch, threads, objects
        self._arrays: list[PerThreadArray] = []

    def allocate(self, type_: Attribute) -> PerThreadArray:
        """An array for values of `type_`."""
        if _stays_together(type_):
            return self._add(type_, type_, 1)
        count = type_.element_count() if isinstance(type_, VectorType) else 1
        return self._add(type_, _memory_type(_scalar(type_)), count)

    def allocate_bytes(self, size: int, alignment: int) -> PerThreadArray:
        """An array of `size` bytes per thread, each aligned to `alignment`."""
        alignment = min(alignment, _SCRATCH_ALIGNMENT)
        unit = IntegerType(8 * min(alignment, 8))
        rounded = -(-size // alignment) * alignment
        return self._add(unit, array_type(rounded // size_of(unit), unit), 1)

    def finish(self) -> tuple[int, int]:
        """Fix the offsets; the bytes that all arrays take per thread, and those for the block."""
        total = shift = 0
        # Descending alignment: every prefix is then a multiple of the next array's alignment, whatever the threads.
        for array in sorted(self._arrays, key=lambda a: -a.alignment):
            array.offset.op.properties["value"] = IntegerAttr(total, i64)
            array.shift.op.properties["value"] = IntegerAttr(shift, i64)
            total += size_of(array.element) * len(array.lanes)
            shift += _LINE * len(array.lanes)
        return total, shift

    def _add(self, type_: Attribute, element: Attribute, count: int) -> PerThreadArray:
        build = self._prologue
        offset, shift = build.constant(0, i64), build.constant(0, i64)
        assert isinstance(offset, OpResult)
        assert isinstance(shift, OpResult)
        start = build.add(build.mul(offset, self._threads), shift)
        lanes = [build.gep(self._scratch, (start,), i8, inbounds=True)]
        for lane in range(1, count):
            line = build.gep(lanes[0], (lane * _LINE,), i8, inbounds=True)
            lanes.append(
                build.gep(line, (build.mul(self._threads, build.constant(lane, i64)),), element, inbounds=True)
            )
        self._objects.add(lanes)
        array = PerThreadArray(type_, element, tuple(lanes), offset, shift)
        self._arrays.append(array)
        return array


def _stays_together(type_: Attribute) -> bool:
    """Whether the lanes of a vector are neighbours in memory: those of short ones, which `flat_loops.py` unites."""
    if not isinstance(type_, VectorType) or len(type_.shape) != 1 or type_.element_count() not in _SHORT:
        return False
    return bool(_memory_type(type_.element_type) == type_.element_type)


def _scalar(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_


def _memory_type(scalar: Attribute) -> Attribute:
    """The type in memory: LLVM has no index, and treats i1 and unknown floats badly there."""
    if isinstance(scalar, IndexType):
        return i64
    if isinstance(scalar, IntegerType):
        return i8 if scalar.width.data < 8 else scalar
    return IntegerType(8) if str(scalar).startswith("f") and element_bits(scalar) < 16 else scalar


def _lanes(build: LLVMBuilder, value: SSAValue) -> list[SSAValue]:
    type_ = value.type
    if not isinstance(type_, VectorType):
        return [value]
    count = type_.element_count()
    flat = _reshaped(build, value, VectorType(type_.element_type, [count]))
    return [
        build.value(vector.ExtractOp, (flat,), type_.element_type, {"static_position": integers((lane,), i64)})
        for lane in range(count)
    ]


def _reshaped(build: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    return value if value.type == type_ else build.raw("vector.shape_cast", (value,), (type_,)).results[0]


def _to_memory(build: LLVMBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    if value.type == element:
        return value
    if isinstance(value.type, IndexType):
        return build.value(arith.IndexCastOp, (value,), element)
    if isinstance(value.type, IntegerType):
        return build.zero_extend(value, element)
    return build.value(arith.BitcastOp, (value,), element)


def _from_memory(build: LLVMBuilder, value: SSAValue, scalar: Attribute) -> SSAValue:
    if value.type == scalar:
        return value
    if isinstance(scalar, IndexType):
        return build.value(arith.IndexCastOp, (value,), scalar)
    if isinstance(scalar, IntegerType):
        return build.value(arith.TruncIOp, (value,), scalar)
    return build.value(arith.BitcastOp, (value,), scalar)
