"""The slot table against ctypes' layout of the same values."""

from __future__ import annotations

import json
import struct

import pytest
from support.packing import packed

from flydsl.base.errors import CompileError
from flydsl.toolchain.slots import Slot, packed_size, slot_table

STRUCT = "!llvm.struct<packed (struct<packed (i32, i32)>, struct<packed (i64)>)>"


@pytest.mark.parametrize(
    ("type_text", "size", "code"),
    [
        ("!llvm.ptr", 8, "Q"),
        ("!llvm.ptr<1>", 8, "Q"),
        ("i1", 1, "?"),
        ("i8", 1, "b"),
        ("i16", 2, "h"),
        ("i32", 4, "i"),
        ("i64", 8, "q"),
        ("index", 8, "q"),
        ("f16", 2, "e"),
        ("bf16", 2, "H"),
        ("f32", 4, "f"),
        ("f64", 8, "d"),
        ("f8E4M3FNUZ", 1, "B"),
        ("vector<4xf32>", 16, "4f"),
        ("vector<2x4xi8>", 8, "8b"),
        (STRUCT, 16, "iiq"),
        ("!llvm.struct<packed (struct<packed ()>, struct<packed (i64)>)>", 8, "q"),
        ("!llvm.struct<packed (i32, struct<packed (struct<packed (i64)>)>, ptr)>", 20, "iqQ"),
        ("!llvm.struct<(i32, i32, i64)>", 16, "iiq"),
    ],
)
def test_slot_has_the_size_and_code_of_its_type(type_text: str, size: int, code: str) -> None:
    (slot,) = slot_table([("scalar", type_text)])
    assert (slot.size, slot.format, struct.calcsize(f"<{code}")) == (size, code, size)


@pytest.mark.parametrize(
    "type_text", ["i4", "tensor<4xf32>", "!llvm.struct<(i32, i64)>", "!llvm.struct<(i64, i32)>", "vector<4xi4>", "none"]
)
def test_type_without_a_memory_form_is_refused(type_text: str) -> None:
    with pytest.raises(CompileError, match="cannot be passed"):
        slot_table([("scalar", type_text)])


def test_slots_are_eight_byte_aligned_and_the_format_packs_them_in_place() -> None:
    slots = slot_table([("scalar", t) for t in ("i1", "!llvm.ptr", STRUCT, "bf16", "f32")])
    assert [slot.offset for slot in slots] == [0, 8, 16, 32, 40]
    block = packed(slots, True, 0xABCD, 1, -2, 3, 0x3F80, 1.5)
    assert len(block) == packed_size(slots) == 48
    assert struct.unpack_from("<?", block, slots[0].offset) == (True,)
    assert struct.unpack_from("<iiq", block, slots[2].offset) == (1, -2, 3)
    assert struct.unpack_from("<f", block, slots[4].offset) == (1.5,)


def test_no_slots_pack_to_nothing() -> None:
    assert (slot_table([]), packed_size([]), packed([])) == ((), 0, b"")


def test_slots_survive_json() -> None:
    (slot,) = slot_table([("struct", STRUCT)])
    assert Slot.from_json(json.loads(json.dumps(slot.to_json()))) == slot
