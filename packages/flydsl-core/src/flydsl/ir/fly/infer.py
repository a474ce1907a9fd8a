"""Type inference: the layout algebra on the payloads of operand types.

`ALGEBRA` maps an operation to its function on layout values; lowering applies the same table to values whose dynamic
leaves are emitted. A `LayoutError` passes through untouched; operands of the wrong kind are an `IRError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

import flydsl.layout as fl
from flydsl.base.errors import IRError
from flydsl.ir.fly import views
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.fly.result_rules import RULES, Types, WrongOperand, moved, payload_of
from flydsl.ir.fly.types import CoordTensorType, MemRefType, payload_type

_MEMO_SIZE = 8192

_SAME_NAME = (
    *("int_tuple_add", "int_tuple_sub", "int_tuple_mul", "int_tuple_div", "int_tuple_mod", "int_tuple_product"),
    *("int_tuple_product_each", "int_tuple_product_like", "shape_div", "ceil_div", "elem_less", "equal"),
    *("make_layout", "make_layout_like", "make_ordered_layout", "make_identity_layout", "make_composed_layout"),
    *("make_fragment_layout_like", "get", "take", "select", "group", "append", "prepend", "dice", "size"),
    *("coprofile", "coshape", "cosize", "crd2idx", "idx2crd", "get_flat_coord", "get_1d_coord", "coalesce"),
    *("composition", "complement", "right_inverse", "left_inverse", "logical_divide", "zipped_divide"),
    *("tiled_divide", "flat_divide", "logical_product", "zipped_product", "tiled_product", "flat_product"),
    *("blocked_product", "raked_product", "recast_layout", "tile_to_shape"),
)

ALGEBRA: Mapping[str, Callable[..., Any]] = {
    **{f"fly.{name}": getattr(fl, name) for name in _SAME_NAME},
    "fly.slice": fl.slice_,
    "fly.composed_get_inner": attrgetter("inner"),
    "fly.composed_get_offset": attrgetter("offset"),
    "fly.composed_get_outer": attrgetter("outer"),
    "fly.get_shape": attrgetter("shape"),
    "fly.get_stride": attrgetter("stride"),
}
"""Operation -> function on layout values: operands first, then the attributes of `_ATTRIBUTES`."""

_ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "fly.get": ("mode",),
    "fly.take": ("begin", "end"),
    "fly.select": ("indices",),
    "fly.group": ("begin", "end"),
    "fly.append": ("n",),
    "fly.prepend": ("n",),
    "fly.recast_layout": ("old_type_bits", "new_type_bits"),
}
_OPTIONAL = frozenset({"n"})

_TENSOR_OPS = frozenset(
    {
        *("fly.get", "fly.take", "fly.select", "fly.group", "fly.append", "fly.prepend", "fly.dice", "fly.coalesce"),
        *("fly.composition", "fly.logical_divide", "fly.zipped_divide", "fly.tiled_divide", "fly.flat_divide"),
    }
)
"""Operations that keep the iterator of a tensor and change its layout only."""


def infer(
    op_name: str, operand_types: Sequence[Attribute], attributes: Mapping[str, Attribute] | None = None
) -> Attribute:
    """The result type of an operation with one inferred result."""
    results = infer_results(op_name, operand_types, attributes)
    if len(results) != 1:
        raise IRError(f"{op_name} has {len(results)} results: use infer_results")
    return results[0]


def infer_results(
    op_name: str, operand_types: Sequence[Attribute], attributes: Mapping[str, Attribute] | None = None
) -> tuple[Attribute, ...]:
    """The result types of an operation."""
    return _infer(op_name, tuple(operand_types), tuple(attributes.items()) if attributes else ())


@lru_cache(maxsize=_MEMO_SIZE)
def _infer(op_name: str, types: Types, attributes: tuple[tuple[str, Attribute], ...]) -> Types:
    rule = RULES.get(op_name)
    if rule is None and op_name not in ALGEBRA:
        raise IRError(f"the result type of {op_name} cannot be inferred: it must be given")
    try:
        result = rule(types, {k: as_python(v) for k, v in attributes}) if rule else _algebra(op_name, types, attributes)
    except WrongOperand as error:
        shown = ", ".join(map(str, types))
        raise IRError(f"{op_name}({shown}): {error}") from None
    return result if isinstance(result, tuple) else (result,)


def evaluate(op_name: str, payloads: Sequence[Any], attributes: Mapping[str, Attribute]) -> Any:
    """An algebra operation on layout values."""
    return ALGEBRA[op_name](*payloads, *algebra_arguments(op_name, attributes))


def algebra_arguments(op_name: str, attributes: Mapping[str, Attribute]) -> tuple[Any, ...]:
    """The attributes that the function of an algebra operation takes after its operands, as Python values."""
    arguments = []
    for name in _ATTRIBUTES.get(op_name, ()):
        if name in attributes:
            arguments.append(as_python(attributes[name]))
        elif name not in _OPTIONAL:
            raise IRError(f"{op_name} needs the attribute {name!r}")
    return tuple(arguments)


def _algebra(op_name: str, types: Types, attributes: tuple[tuple[str, Attribute], ...]) -> Attribute:
    if not types:
        raise WrongOperand("an operand is missing")
    tensor = types[0] if isinstance(types[0], MemRefType | CoordTensorType) else None
    payloads = [payload_of(type_) for type_ in types]
    try:
        if op_name == "fly.slice" and isinstance(payloads[0], fl.Layout | fl.ComposedLayout):
            offset, layout = views.sliced(*payloads)
            return moved(tensor, offset, layout) if tensor is not None else payload_type(layout)
        value = evaluate(op_name, payloads, dict(attributes))
    except (TypeError, AttributeError) as error:
        raise WrongOperand(f"operands do not fit: {error}") from error
    if op_name in ("fly.elem_less", "fly.equal"):
        return i1
    return moved(tensor, 0, value) if tensor is not None and op_name in _TENSOR_OPS else payload_type(value)
