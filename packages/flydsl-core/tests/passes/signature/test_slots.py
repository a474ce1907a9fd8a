"""Slots of a type: static parts vanish, dynamic leaves stand in packed structs, with their paths."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.parse import parse_type
from flydsl.passes.signature.slots import slots_of


def slots(text: str) -> list[tuple[str, list[tuple[tuple[int, ...], str]]]] | None:
    found = slots_of(parse_type(text))
    if found is None:
        return None
    return [(str(slot.type), [(path, str(leaf)) for path, leaf in slot.leaves]) for slot in found]


def test_leaves_are_numbered_without_the_static_ones() -> None:
    assert slots("!fly.int_tuple<(4,?,(?{i64},8))>") == [
        ("!llvm.struct<packed (i32, i64)>", [((0,), "i32"), ((1,), "i64")])
    ]


def test_shape_comes_before_stride_and_an_all_static_part_is_left_out() -> None:
    assert slots("!fly.layout<(?,8):(?{i64},1)>") == [
        ("!llvm.struct<packed (struct<packed (i32)>, struct<packed (i64)>)>", [((0, 0), "i32"), ((1, 0), "i64")])
    ]
    assert slots("!fly.layout<(4,8):(1,?)>") == [("!llvm.struct<packed (struct<packed (i32)>)>", [((0, 0), "i32")])]


def test_a_tensor_is_a_pointer_and_what_is_dynamic_of_its_layout() -> None:
    assert slots("!fly.memref<f32, global, (4,8):(1,4)>") == [("!fly.ptr<f32, global>", [])]
    found = slots("!fly.memref<f32, global, (?,8):(8,1)>")
    assert found is not None
    assert [type_ for type_, _ in found] == ["!fly.ptr<f32, global>", "!llvm.struct<packed (struct<packed (i32)>)>"]


@pytest.mark.parametrize(
    "text", ["!fly.int_tuple<(4,8)>", "!fly.layout<(4,8):(1,4)>", "!fly.tile<[8|64]>", "!fly.swizzle<S<2,3,3>>"]
)
def test_static_values_take_no_slot(text: str) -> None:
    assert slots(text) == []


@pytest.mark.parametrize("text", ["i32", "!fly.ptr<f32, global>", "!llvm.ptr"])
def test_other_values_are_passed_as_they_are(text: str) -> None:
    assert slots(text) is None


def test_a_dynamic_tile_cannot_be_passed() -> None:
    with pytest.raises(IRError, match="cannot be passed to a function: a tile must be static there"):
        slots("!fly.tile<[?|64]>")
