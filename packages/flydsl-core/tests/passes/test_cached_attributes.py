"""Interned attributes."""

from __future__ import annotations

from xdsl.dialects.builtin import f32

from flydsl.passes.cached_attributes import position, segments, slice_properties, vector_of


def test_spellings() -> None:
    assert str(position(1, 2)) == "array<i64: 1, 2>"
    assert str(segments(1, 0, 3)) == "array<i32: 1, 0, 3>"
    assert str(vector_of(f32, 4)) == "vector<4xf32>"
    assert {name: str(value) for name, value in slice_properties(2, 4).items()} == {
        "offsets": "[2 : i64]",
        "strides": "[1 : i64]",
        "sizes": "[4 : i64]",
    }
    assert set(slice_properties(2)) == {"offsets", "strides"}


def test_equal_requests_give_one_object() -> None:
    assert position(5) is position(5)
    assert vector_of(f32, 8) is vector_of(f32, 8)
