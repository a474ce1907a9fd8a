"""What a chip needs for atomics of floats in buffers."""

from __future__ import annotations

from typing import Any

from flydsl.expr import BFloat16, Float16, Float32, Float64
from flydsl_rocm.features import Feature

FLOAT_ATOMICS: dict[tuple[str, Any, int], Feature | None] = {
    ("add", Float32, 1): None,
    ("add", Float64, 1): Feature.ATOMICS_F64,
    ("add", Float16, 2): Feature.ATOMIC_PACKED_F16,
    ("add", BFloat16, 2): Feature.ATOMIC_PACKED_BF16,
    **{(op, Float32, 1): Feature.ATOMIC_MIN_MAX_F32 for op in ("min", "max")},
    **{(op, Float64, 1): Feature.ATOMICS_F64 for op in ("min", "max")},
}
"""By operation, type and how many of them; None where all chips have it."""
