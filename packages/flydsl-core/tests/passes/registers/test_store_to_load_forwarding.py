"""Registers are read once and written once between operations that leave them alone."""

from __future__ import annotations

import pytest
from pass_programs import Kernel
from xdsl.dialects import gpu
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, VectorType, f32, i64
from xdsl.ir import Operation, SSAValue

from flydsl.ir import fly
from flydsl.ir.fly.attributes import REGISTER
from flydsl.ir.fly.types import PointerType
from flydsl.passes.registers.store_to_load_forwarding import StoreToLoadForwarding

POINTER, VECTOR = PointerType(f32, REGISTER), VectorType(f32, [4])


class Registers:
    """Eight registers, and a barrier that accesses are put in front of."""

    def __init__(self, *types: PointerType) -> None:
        self.kernel = Kernel(f32, VECTOR, *types)
        attributes = {"dictAttrs": DictionaryAttr({"allocSize": IntegerAttr(8, i64)})}
        self.root = self.kernel.op(fly.MakePtrOp, [], POINTER, attributes=attributes)
        self.number, self.vector, *self.pointers = self.kernel.args
        self.held = StoreToLoadForwarding()
        self.third = self.at(2)
        self.fifth = self.at(4)
        self.barrier: Operation = self.kernel.build.create(gpu.BarrierOp)

    def at(self, offset: int) -> SSAValue:
        found: SSAValue = self.kernel.fly("add_offset", self.root, self.kernel.static(offset))
        return found

    def load(self, pointer: SSAValue, type_: VectorType | type[None] = VECTOR) -> SSAValue:
        return self.held.load(pointer, type_ if isinstance(type_, VectorType) else f32, self.barrier)

    def store(self, value: SSAValue, pointer: SSAValue) -> None:
        self.held.store(value, pointer, self.barrier)

    @property
    def accesses(self) -> list[Operation]:
        return [op for op in self.kernel.block.ops if op.name in ("fly.ptr.load", "fly.ptr.store")]

    @property
    def names(self) -> list[str]:
        return [op.name.removeprefix("fly.ptr.") for op in self.accesses]


def test_a_run_is_read_once() -> None:
    registers = Registers()
    assert registers.load(registers.root) is registers.load(registers.root)
    registers.held.release(registers.barrier)
    assert registers.names == ["load"]
    registers.load(registers.root)
    assert registers.names == ["load", "load"]


def test_what_was_written_last_is_read_and_written_once() -> None:
    registers = Registers()
    for value in (registers.vector, registers.load(registers.fifth), registers.vector):
        registers.store(value, registers.root)
        assert registers.load(registers.root) is value
    assert registers.names == ["load"]
    registers.held.release(registers.barrier)
    registers.held.release(registers.barrier)
    assert registers.names == ["load", "store"]
    assert list(registers.accesses[1].operands) == [registers.vector, registers.root]


def test_what_overlaps_is_written_first_and_read_again() -> None:
    registers = Registers()
    before = registers.load(registers.root)
    registers.store(registers.number, registers.third)
    after = registers.load(registers.root)
    assert after is not before
    assert registers.names == ["load", "store", "load"]
    registers.held.release(registers.barrier)
    assert registers.names == ["load", "store", "load"]


def test_a_part_of_what_was_written_is_read_from_memory() -> None:
    registers = Registers()
    registers.store(registers.vector, registers.root)
    number = registers.load(registers.third, type(None))
    assert number.type == f32
    assert registers.names == ["store", "load"]


def test_neighbours_leave_each_other_alone() -> None:
    registers = Registers()
    first, second = registers.load(registers.root), registers.load(registers.fifth)
    registers.store(second, registers.root)
    registers.store(first, registers.fifth)
    assert registers.load(registers.root) is second
    assert registers.names == ["load", "load"]


@pytest.mark.parametrize("writes", [False, True])
def test_a_pointer_that_may_lead_anywhere_is_served_by_memory(writes: bool) -> None:
    registers = Registers(POINTER)
    registers.store(registers.vector, registers.root)
    if writes:
        registers.store(registers.vector, registers.pointers[0])
        assert registers.names == ["store", "store"]
    else:
        registers.load(registers.pointers[0])
        assert registers.names == ["store", "load"]
    registers.load(registers.root)
    assert registers.names[2:] == ["load"]
