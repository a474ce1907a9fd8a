"""What registers hold for each element type."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import bf16, f16, f32, i8, i32

from flydsl.ir.parse import parse_type
from flydsl.passes.registers.storage import storage_type


@pytest.mark.parametrize("type_", [f16, bf16, f32, i8, i32])
def test_types_that_llvm_has_are_held_as_they_are(type_: object) -> None:
    assert storage_type(type_) == type_  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "held"),
    [("si8", "i8"), ("ui4", "i4"), ("f8E4M3FN", "i8"), ("f8E8M0FNU", "i8"), ("f6E3M2FN", "i6"), ("f4E2M1FN", "i4")],
)
def test_signed_integers_and_narrow_floats_are_held_as_their_bits(text: str, held: str) -> None:
    assert str(storage_type(parse_type(text))) == held
