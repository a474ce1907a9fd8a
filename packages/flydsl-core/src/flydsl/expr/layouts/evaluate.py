"""Functions of the algebra by name on values: evaluated while tracing when static, one fly op otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl import layout as algebra
from flydsl.expr.layouts.int_tuple import as_int_tuple
from flydsl.expr.layouts.layout import LayoutValue, Tile, as_layout, box_static, make_tile
from flydsl.expr.layouts.value import StructuredValue
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flydsl.expr.values.operand_types import LayoutSource, StructuredLike, TilerLike
    from flydsl.expr.values.traced_types import Structure


def apply(name: str, *operands: StructuredValue, **attributes: int | Sequence[int]) -> Structure:
    """`fly.<name>` on `operands`: evaluated now when all are static, else one op with an inferred type."""
    if all(isinstance(operand, StructuredValue) and operand.is_static for operand in operands):
        function = getattr(algebra, name)
        return box_static(function(*(operand.payload for operand in operands), **attributes))
    return current().fly_call(name, operands, attributes)


def structured(value: StructuredLike) -> StructuredValue:
    """`value` as an operand: layouts, tensors and int tuples stay, Python tuples and scalars become int tuples."""
    return value if isinstance(value, StructuredValue) else as_int_tuple(value)


def layout_of(value: LayoutSource) -> StructuredValue:
    """The layout of a tensor, a layout itself, or the compact layout of a shape."""
    return value._layout() if isinstance(value, StructuredValue) else as_layout(value)


def as_divisor(value: TilerLike) -> StructuredValue:
    """`value` as the second operand of divisions and products: a layout or a tile."""
    if isinstance(value, LayoutValue | Tile):
        return value
    if isinstance(value, algebra.Layout | algebra.Tile):
        return box_static(value)
    return make_tile(value if isinstance(value, tuple | list) else (value,))


def payload_of(value: StructuredLike) -> Any:
    """The algebra object of a value, the layout of a tensor."""
    payload = structured(value).payload
    return getattr(payload, "layout", payload)
