"""Interned xDSL attributes for numbers and types that lowered code is full of."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, IntegerAttr, VectorType, i32, i64
from xdsl.ir import Attribute


@lru_cache(maxsize=4096)
def position(*path: int) -> DenseArrayBase:
    """`array<i64: ...>`: a static position in a vector or struct."""
    return DenseArrayBase.from_list(i64, path)


@lru_cache(maxsize=256)
def segments(*sizes: int) -> DenseArrayBase:
    """`array<i32: ...>`: how many operands each group has."""
    return DenseArrayBase.from_list(i32, sizes)


@lru_cache(maxsize=4096)
def vector_of(element: Attribute, count: int) -> VectorType[Attribute]:
    """`vector<COUNTxELEMENT>`."""
    return VectorType(element, [count])


@lru_cache(maxsize=4096)
def slice_properties(offset: int, size: int = 0) -> dict[str, Attribute]:
    """Properties of `vector.insert_strided_slice`, or with a size of `vector.extract_strided_slice`."""
    places: dict[str, Attribute] = {"offsets": _numbers(offset), "strides": _numbers(1)}
    return {**places, "sizes": _numbers(size)} if size else places


def _numbers(value: int) -> ArrayAttr[IntegerAttr]:
    return ArrayAttr([IntegerAttr(value, i64)])
