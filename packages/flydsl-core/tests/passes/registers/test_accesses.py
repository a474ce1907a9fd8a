"""Which register allocations become values, and in what parts."""

from __future__ import annotations

import pytest
from pass_programs import Kernel, kernel_of
from xdsl.dialects import scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, VectorType, f32, i1, i32, i64
from xdsl.ir import Block, Region, SSAValue

from flydsl.base.errors import IRError
from flydsl.ir import fly
from flydsl.ir.fly.attributes import GLOBAL, REGISTER
from flydsl.ir.fly.types import PointerType
from flydsl.layout import Dyn
from flydsl.passes.registers.accesses import Allocation, RegisterAccesses

POINTER = PointerType(f32, REGISTER)


def allocate(k: Kernel, count: int, pointer: PointerType = POINTER) -> SSAValue:
    attributes = {"dictAttrs": DictionaryAttr({"allocSize": IntegerAttr(count, i64)})}
    return k.op(fly.MakePtrOp, [], pointer, attributes=attributes)


def at(k: Kernel, pointer: SSAValue, offset: int) -> SSAValue:
    return k.fly("add_offset", pointer, k.static(offset))


def load(k: Kernel, pointer: SSAValue, count: int = 1) -> SSAValue:
    return k.op(fly.PtrLoadOp, [pointer], f32 if count == 1 else VectorType(f32, [count]))


def store(k: Kernel, value: SSAValue, pointer: SSAValue) -> None:
    k.build.create(fly.PtrStoreOp, [value, pointer])


def accesses(k: Kernel) -> RegisterAccesses:
    return RegisterAccesses.of(kernel_of(k.module(check=False)))


def only(k: Kernel) -> Allocation:
    (allocation,) = accesses(k).allocations.values()
    return allocation


def parts(allocation: Allocation) -> list[tuple[int, int]]:
    return [(part.start, part.count) for part in allocation.parts]


def test_parts_are_as_large_as_all_accesses_allow() -> None:
    k = Kernel()
    pointer = allocate(k, 8)
    load(k, pointer, 4)
    load(k, at(k, pointer, 2), 4)
    load(k, at(k, at(k, pointer, 4), 3))
    allocation = only(k)
    assert allocation.promoted
    assert parts(allocation) == [(0, 2), (2, 2), (4, 2), (6, 1), (7, 1)]
    assert [part.start for part in allocation.cover(2, 4)] == [2, 4]
    assert [str(part.type) for part in allocation.parts] == ["vector<2xf32>"] * 3 + ["f32", "f32"]


@pytest.mark.parametrize(("offset", "count"), [(-1, 1), (3, 2), (4, 1)])
def test_an_access_outside_keeps_the_allocation_in_memory(offset: int, count: int) -> None:
    k = Kernel()
    load(k, at(k, allocate(k, 4), offset), count)
    assert not only(k).promoted


def test_a_dynamic_offset_keeps_the_allocation_in_memory() -> None:
    k = Kernel(i32)
    load(k, k.fly("add_offset", allocate(k, 4), k.coord(Dyn(32), k.args[0])))
    assert not only(k).promoted


def test_a_pointer_that_is_stored_keeps_the_allocation_in_memory() -> None:
    k = Kernel(PointerType(i64, GLOBAL))
    number = k.op(fly.PtrtointOp, [allocate(k, 4)], i64)
    store(k, number, k.args[0])
    assert not only(k).promoted


def test_an_element_of_another_width_keeps_the_allocation_in_memory() -> None:
    k = Kernel()
    k.op(fly.PtrLoadOp, [allocate(k, 4)], i64)
    assert not only(k).promoted
    k = Kernel()
    k.op(fly.PtrLoadOp, [allocate(k, 4)], i32)
    assert only(k).promoted


def test_pointers_carry_their_offset_and_memory_has_none() -> None:
    k = Kernel(PointerType(f32, GLOBAL))
    moved = at(k, at(k, allocate(k, 8), 2), 3)
    load(k, moved)
    load(k, k.args[0])
    found = accesses(k)
    allocation, offset = found.place(moved) or (None, None)
    assert (allocation, offset) == (*found.allocations.values(), 5)
    assert found.place(k.args[0]) is None


def test_stores_inside_of_a_branch_are_written_by_the_branch() -> None:
    k = Kernel(i1, f32)
    pointer = allocate(k, 4)
    then, otherwise = Block(), Block()
    op = k.build.create(scf.IfOp, [k.args[0]], [], regions=[Region(then), Region(otherwise)])
    with k.build.at(then):
        store(k, k.args[1], at(k, pointer, 2))
        k.build.create(scf.YieldOp)
    with k.build.at(otherwise):
        k.build.create(scf.YieldOp)
    load(k, pointer, 2)
    found = accesses(k)
    assert [(part.start, part.count) for part in found.written[op]] == [(2, 1)]


def test_an_allocation_without_a_size_is_refused() -> None:
    k = Kernel()
    allocate(k, 0)
    with pytest.raises(IRError, match="a register allocation needs a positive allocSize"):
        accesses(k)
