"""Value types in, per-thread arrays in the scratch memory of a block out: `array[thread]`, one contiguous array per
value.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, VectorType, i8, i64
from xdsl.ir import Attribute, OpResult, SSAValue

from flydsl.ir.fly.element import element_bits as bit_width
from flydsl.passes.to_llvm.builder import LLVMBuilder, array_type
from flydsl.passes.to_llvm.type_sizes import alignment_of, size_of

__all__ = ["PerThreadArray", "PerThreadArrays"]

_SCRATCH_ALIGNMENT = 64


@dataclass(frozen=True, slots=True, eq=False)
class PerThreadArray:
    """One element of `memory_type` per thread; `type` is the type of the values it holds."""

    type: Attribute
    memory_type: Attribute
    base: SSAValue
    offset: OpResult = field(repr=False)

    @property
    def alignment(self) -> int:
        """The alignment of every element, in bytes."""
        return min(alignment_of(self.memory_type), _SCRATCH_ALIGNMENT)

    def address(self, builder: LLVMBuilder, thread: SSAValue) -> SSAValue:
        """The element of `thread`, a linear thread id of type i64."""
        return builder.gep(self.base, (thread,), self.memory_type, inbounds=True)

    def load(self, builder: LLVMBuilder, address: SSAValue) -> SSAValue:
        """The value at an element's address."""
        return _from_memory(builder, builder.load(address, self.memory_type, self.alignment), self.type)

    def store(self, builder: LLVMBuilder, value: SSAValue, address: SSAValue) -> None:
        """Write a value to an element's address."""
        builder.store(_to_memory(builder, value, self.memory_type), address, self.alignment)


class PerThreadArrays:
    """Lays out the arrays of one kernel: address = scratch + threads * (bytes per thread of the arrays before)."""

    __slots__ = ("_arrays", "_prologue", "_scratch", "_threads")

    def __init__(self, prologue: LLVMBuilder, scratch: SSAValue, threads: SSAValue) -> None:
        self._prologue, self._scratch, self._threads = prologue, scratch, threads
        self._arrays: list[PerThreadArray] = []

    def allocate(self, type_: Attribute) -> PerThreadArray:
        """An array for values of `type_`."""
        return self._add(type_, _memory_type(type_))

    def allocate_bytes(self, size: int, alignment: int) -> PerThreadArray:
        """An array of `size` bytes per thread, each aligned to `alignment`."""
        unit = IntegerType(8 * min(alignment, 8))
        size_in_units = -(-size // min(alignment, _SCRATCH_ALIGNMENT)) * (min(alignment, _SCRATCH_ALIGNMENT) * 8)
        return self._add(unit, array_type(size_in_units // unit.width.data, unit))

    def finish(self) -> int:
        """Fix the offsets; the bytes that all arrays take per thread."""
        total = 0
        # Descending alignment: every prefix is then a multiple of the next array's alignment, whatever the threads.
        for array in sorted(self._arrays, key=lambda a: -_slot_alignment(a)):
            array.offset.op.properties["value"] = IntegerAttr(total, i64)
            total += size_of(array.memory_type)
        return total

    def _add(self, type_: Attribute, memory_type: Attribute) -> PerThreadArray:
        offset = self._prologue.constant(0, i64)
        assert isinstance(offset, OpResult)
        scaled = self._prologue.mul(offset, self._threads)
        base = self._prologue.gep(self._scratch, (scaled,), i8, inbounds=True)
        array = PerThreadArray(type_, memory_type, base, offset)
        self._arrays.append(array)
        return array


def _slot_alignment(array: PerThreadArray) -> int:
    size = size_of(array.memory_type)
    return min(size & -size, _SCRATCH_ALIGNMENT)


def _memory_type(type_: Attribute) -> Attribute:
    if isinstance(type_, IndexType):
        return i64
    if isinstance(type_, IntegerType) and type_.width.data == 1:
        return i8
    if isinstance(type_, VectorType):
        element = type_.element_type
        size = bit_width(type_) // bit_width(element)
        return VectorType(_memory_type(element), [size])
    if not isinstance(type_, IntegerType) and _is_narrow_float(type_):
        return IntegerType(bit_width(type_))
    return type_


def _is_narrow_float(type_: Attribute) -> bool:
    return str(type_).startswith("f") and bit_width(type_) < 16


def _to_memory(builder: LLVMBuilder, value: SSAValue, memory_type: Attribute) -> SSAValue:
    if isinstance(value.type, VectorType) and value.type.get_num_dims() != 1:
        flat = VectorType(value.type.element_type, list(memory_type.get_shape()))  # type: ignore[attr-defined]
        value = _shape_cast(builder, value, flat)
    element, memory_element = _element(value.type), _element(memory_type)
    if element == memory_element:
        return value
    if isinstance(element, IndexType):
        return builder.value(arith.IndexCastOp, (value,), memory_type)
    if isinstance(element, IntegerType) and element.width.data == 1:
        return builder.zero_extend(value, memory_type)
    return builder.value(arith.BitcastOp, (value,), memory_type)


def _from_memory(builder: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    element, memory_element = _element(type_), _element(value.type)
    flat: Attribute = VectorType(element, list(value.type.get_shape())) if isinstance(value.type, VectorType) else type_
    if isinstance(element, IndexType):
        value = builder.value(arith.IndexCastOp, (value,), flat)
    elif isinstance(element, IntegerType) and element.width.data == 1:
        value = builder.value(arith.TruncIOp, (value,), flat)
    elif element != memory_element:
        value = builder.value(arith.BitcastOp, (value,), flat)
    return value if flat == type_ else _shape_cast(builder, value, type_)


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, VectorType) else type_


def _shape_cast(builder: LLVMBuilder, value: SSAValue, type_: Attribute) -> SSAValue:
    return builder.raw("vector.shape_cast", (value,), (type_,)).results[0]
