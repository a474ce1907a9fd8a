"""A tensor and a coordinate in, an error out when what is known of both while tracing does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl import layout as algebra
from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from flydsl.expr.layouts.value import StructuredValue


def check_coord(memref: StructuredValue, coord: StructuredValue) -> None:
    """Refuse static indices outside of the shape of `memref`, an operand; only storage has bounds to keep."""
    payload = memref.payload
    if not hasattr(payload, "element") or not hasattr(payload, "layout"):
        return
    shape = getattr(payload.layout, "shape", None)
    found = None if shape is None else _outside(coord.payload, shape)
    if found is not None:
        index, extent = found
        raise FrontendError(
            f"index {index} of coordinate {_text(coord.payload)} is outside of the shape {_text(shape)}: "
            f"it must be at least 0{'' if extent is None else f' and less than {extent}'}"
        )


def _outside(coord: algebra.IntTuple, shape: algebra.IntTuple) -> tuple[int, int | None] | None:
    """The first static index that is outside, and the extent it belongs to (None when dynamic)."""
    if isinstance(coord, tuple):
        if not isinstance(shape, tuple) or len(shape) != len(coord):
            return None  # the op itself reports that these are not congruent
        return next(filter(None, map(_outside, coord, shape)), None)
    if not isinstance(coord, int):
        return None
    extent = algebra.size(shape)
    limit = extent if isinstance(extent, int) else None
    return (coord, limit) if coord < 0 or (limit is not None and coord >= limit) else None


def _text(value: object) -> str:
    return f"({','.join(map(_text, value))})" if isinstance(value, tuple) else str(value)
