"""Byte memories: bounds, gaps, undefined bytes, swizzles and parts of bytes."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import VectorType, f32, i1, i8, i16, i32

from flydsl.base.errors import IRError, OutOfBoundsError, UninitializedReadError
from flydsl.ir.interpret import Address, Memory, Poison, Shadow
from flydsl.ir.interpret.memory import allocate
from flydsl.ir.parse import parse_type
from flydsl.layout import Swizzle


def test_scalars_and_vectors_are_little_endian_bytes() -> None:
    data = bytearray(np.arange(4, dtype=np.float32).tobytes())
    address = Address(Memory(data, 100), 100, f32)
    assert address.moved(2).load(f32) == 2.0
    assert address.moved(1).load(VectorType(f32, [3])) == [1.0, 2.0, 3.0]
    address.moved(3).store([-1, 513], VectorType(i16, [2]))
    assert data[12:] == b"\xff\xff\x01\x02"


@pytest.mark.parametrize(("count", "verb"), [(-1, "reads"), (4, "reads"), (4, "writes")])
def test_an_access_outside_names_the_memory(count: int, verb: str) -> None:
    address = Address(Memory(bytearray(16), 100, name="tensor 'x'"), 100, f32).moved(count)
    with pytest.raises(OutOfBoundsError, match=f"{verb} 4 bytes at byte {4 * count} of tensor 'x', which has 16 bytes"):
        address.load(f32) if verb == "reads" else address.store(1.0, f32)


def test_bytes_between_elements_belong_to_nobody() -> None:
    memory = Memory(bytearray(20), extents=[(2, 16), (1, 4)])
    assert Address(memory, 16, f32).load(f32) == 0.0
    with pytest.raises(OutOfBoundsError, match="between two of its elements; its strides leave gaps"):
        Address(memory, 4, f32).load(f32)


def test_what_nobody_wrote_is_undefined_until_it_is_written() -> None:
    address = allocate(f32, 2)
    assert isinstance(address.load(f32), Poison)
    address.store(1.5, f32)
    assert address.load(f32) == 1.5
    address.store(7, i8)
    assert isinstance(address.moved(1).load(f32), Poison)


def test_an_undefined_value_keeps_its_reason_in_memory() -> None:
    address = allocate(f32, 1)
    reason = Poison("because")
    address.store(reason, f32)
    assert address.load(f32) is reason
    full = Address(Memory(bytearray(8)), 0, f32)
    full.store(reason, f32)
    assert full.load(f32) is reason
    assert full.moved(1).load(f32) == 0.0


def test_undefined_values_must_not_go_into_a_tensor() -> None:
    address = Address(Memory(bytearray(8), name="tensor 'x'", needs_values=True), 4, f32)
    with pytest.raises(
        UninitializedReadError, match="tensor 'x' is written at byte 4 by a value that is not defined: why"
    ):
        address.store(Poison("why"), f32)


def test_an_undefined_vector_leaves_every_lane_undefined() -> None:
    address = allocate(i32, 2)
    address.store(Poison(), VectorType(i32, [2]))
    assert all(isinstance(lane, Poison) for lane in address.load(VectorType(i32, [2])))


def test_accesses_through_a_swizzle_are_permuted_and_offsets_are_not() -> None:
    swizzle = Swizzle(1, 2, 2)
    address = Address(Memory(bytearray(32)), 0, f32).swizzled(swizzle)
    for index in range(8):
        address.moved(index).store(float(index), f32)
    plain = Address(address.memory, 0, f32)
    assert [plain.moved(i).load(f32) for i in range(8)] == [swizzle(4 * i) / 4 for i in range(8)]
    assert plain.moved(4).load(f32) == 5.0


def test_parts_of_bytes_are_kept_one_by_one_in_registers_only() -> None:
    narrow = parse_type("i4")
    assert Address(Memory(bytearray(4)), 0, narrow).moved(3).byte == 3
    with pytest.raises(IRError, match="elements are parts of bytes; run it compiled"):
        Address(Memory(bytearray(4), shadow=Shadow()), 0, narrow).load(narrow)
    with pytest.raises(IRError, match="i4 read as i8 cannot be interpreted"):
        Address(Memory(bytearray(4)), 0, narrow).as_element(i8)
    assert Address(Memory(bytearray(4)), 0, i8).as_element(i1).element == i1


def test_changes_are_counted_and_addresses_are_shown() -> None:
    memory = Memory(bytearray(8), 64, name="shared")
    Address(memory, 68, f32).store(1.0, f32)
    assert memory.changes == 1
    assert repr(Address(memory, 68, f32)) == "<f32 at byte 4 of shared>"
