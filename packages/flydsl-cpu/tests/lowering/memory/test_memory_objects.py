"""What is known of the memory that two addresses lead to."""

from __future__ import annotations

from xdsl.dialects.builtin import i8
from xdsl.ir import Block

from flydsl.passes.to_llvm.builder import LLVMBuilder, pointer_type
from flydsl_cpu.lowering.memory.memory_objects import MemoryObjects, Overlap


def test_allocations_are_apart_and_arguments_are_the_callers() -> None:
    block = Block(arg_types=[pointer_type()] * 5)
    a, b, scratch, shared, unknown = block.args
    objects = MemoryObjects({a, b})
    objects.add([scratch])
    objects.allocations[shared] = ("shared", 0)
    assert objects.overlap(a, a) is Overlap.SAME
    assert objects.overlap(a, b) is Overlap.ARGUMENTS
    assert objects.overlap(a, scratch) is objects.overlap(shared, scratch) is Overlap.NONE
    assert objects.overlap(a, unknown) is objects.overlap(unknown, b) is Overlap.UNKNOWN
    assert objects.overlap(scratch, unknown) is objects.overlap(unknown, shared) is Overlap.UNKNOWN


def test_an_allocation_made_at_the_same_place_twice_is_one() -> None:
    build = LLVMBuilder(Block(arg_types=[pointer_type()]))
    first, second = (build.gep(build.block.args[0], (16,), i8) for _ in range(2))
    objects = MemoryObjects(allocations={first: ("shared", 16), second: ("shared", 16)})
    assert objects.overlap(first, second) is Overlap.SAME


def test_the_base_of_an_address_ends_at_an_allocation() -> None:
    build = LLVMBuilder(Block(arg_types=[pointer_type()]))
    whole = build.block.args[0]
    part = build.gep(whole, (64,), i8)
    inside = build.gep(build.gep(part, (1,), i8), (2,), i8)
    assert MemoryObjects().base(inside) is whole
    objects = MemoryObjects()
    objects.add([part])
    assert objects.base(inside) is part
