"""Sizes and alignments by the data layout of 64-bit targets."""

from __future__ import annotations

import pytest

from flydsl.backend.conversion.type_sizes import alignment_of, size_of
from flydsl.ir.parse import parse_type
from flydsl.passes.to_llvm.builder import array_type


@pytest.mark.parametrize(
    ("text", "size", "alignment"),
    [
        ("i1", 1, 1),
        ("i8", 1, 1),
        ("f16", 2, 2),
        ("i24", 4, 4),
        ("f64", 8, 8),
        ("index", 8, 8),
        ("!llvm.ptr", 8, 8),
        ("vector<3xf32>", 16, 16),
        ("vector<4xf32>", 16, 16),
        ("vector<5xi8>", 8, 8),
    ],
)
def test_vectors_are_rounded_up_to_a_power_of_two(text: str, size: int, alignment: int) -> None:
    type_ = parse_type(text)
    assert (size_of(type_), alignment_of(type_)) == (size, alignment)


def test_an_array_is_its_elements_one_after_the_other() -> None:
    array = array_type(5, array_type(3, parse_type("f16")))
    assert (size_of(array), alignment_of(array)) == (30, 2)
