"""Elements of vectors at indices that are known only at run time."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.operands import as_numeric
from flydsl.expr.numbers.vector_shape import is_dynamic_index, position_in

if TYPE_CHECKING:
    from flydsl.expr.numbers.vector import Vector
    from flydsl.expr.numeric import Numeric


def selected_element(vector: Vector, path: Sequence[Any]) -> Numeric | Vector:
    """The element at an index for each extent, chosen among all elements: vectors have no addresses."""
    flat = vector.reshape(vector.numel)
    steps = [prod(vector.extents[axis + 1 :]) for axis in range(len(path))]
    place: Any = 0
    for index, extent, step in zip(path, vector.extents, steps, strict=True):
        number: Any = as_numeric(index) if is_dynamic_index(index) else position_in(index, extent)
        if is_dynamic_index(number) and number.dtype.is_float:
            raise FrontendError(f"an element of a vector is at an integer, found {index!r}")
        place = place + number * step
    element: Numeric | Vector = flat[0]
    for position in range(1, vector.numel):
        element = (place == position).select(flat[position], element)
    return element
