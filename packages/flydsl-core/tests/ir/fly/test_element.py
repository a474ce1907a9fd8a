"""Sizes of elements."""

from __future__ import annotations

import pytest

from flydsl.base.errors import IRError
from flydsl.ir.fly.element import element_bits, element_bytes
from flydsl.ir.parse import parse_type


@pytest.mark.parametrize(
    ("text", "bits", "bytes_"),
    [
        ("i1", 1, 1), ("i4", 4, 1), ("f6E3M2FN", 6, 1), ("f8E4M3FN", 8, 1), ("bf16", 16, 2), ("f64", 64, 8),
        ("index", 64, 8), ("!llvm.ptr", 64, 8), ("vector<4x2xf16>", 128, 16), ("vector<3xi4>", 12, 1),
    ],
)  # fmt: skip
def test_bits_and_whole_bytes(text: str, bits: int, bytes_: int) -> None:
    assert (element_bits(parse_type(text)), element_bytes(parse_type(text))) == (bits, bytes_)


def test_other_types_have_no_size() -> None:
    with pytest.raises(
        IRError, match=r"tensor<4xf32> has no size: elements are integers, floats, pointers and vectors"
    ):
        element_bits(parse_type("tensor<4xf32>"))
