"""MLIR scalar and vector types by the spelling of the element type."""

from __future__ import annotations

from functools import cache

from xdsl.dialects import builtin
from xdsl.ir import Attribute

from flydsl.ir.widths import compute_with_widths

compute_with_widths()

_SCALARS: dict[str, Attribute] = {
    "index": builtin.IndexType(),
    "f16": builtin.f16,
    "bf16": builtin.bf16,
    "f32": builtin.f32,
    "f64": builtin.f64,
    "f8E4M3": builtin.Float8E4M3Type(),
    "f8E4M3B11FNUZ": builtin.Float8E4M3B11FNUZType(),
    "f8E4M3FN": builtin.Float8E4M3FNType(),
    "f8E4M3FNUZ": builtin.Float8E4M3FNUZType(),
    "f8E5M2": builtin.Float8E5M2Type(),
    "f8E5M2FNUZ": builtin.Float8E5M2FNUZType(),
    "f8E8M0FNU": builtin.Float8E8M0FNUType(),
    "f6E2M3FN": builtin.Float6E2M3FNType(),
    "f6E3M2FN": builtin.Float6E3M2FNType(),
    "f4E2M1FN": builtin.Float4E2M1FNType(),
}


@cache
def scalar_type(name: str) -> Attribute:
    """The MLIR type spelled `name`: `i32`, `f16`, `index`, ..."""
    return _SCALARS.get(name) or builtin.IntegerType(int(name[1:]))


@cache
def vector_type(name: str, shape: tuple[int, ...]) -> Attribute:
    """The MLIR type of vectors of the scalar type spelled `name`."""
    return builtin.VectorType(scalar_type(name), shape)
