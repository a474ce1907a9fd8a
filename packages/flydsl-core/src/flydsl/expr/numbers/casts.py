"""Conversions between element types (C rules for integers, IEEE for floats) and broadcasts of scalars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.registry import named
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.numbers.operands import Operand


def convert(source: Operand, dtype: type[Numeric]) -> SSAValue:
    """The SSA value of the dynamic `source` converted to `dtype`, element by element."""
    value = source.value
    if source.dtype is dtype:
        return value  # type: ignore[no-any-return]
    if not dtype.is_float and (step := _step_to_integer(source.dtype, dtype)):
        source = source.to(named(step))  # type: ignore[attr-defined]
        value = source.value
    target = current().type(dtype, source.extents)
    if dtype.width == 1 and not dtype.is_float:
        return (source != source.dtype.wrap(0)).value  # type: ignore[no-any-return]
    if value.type == target:
        return value  # type: ignore[no-any-return]
    return _cast(source.dtype, dtype, value, target)


def broadcast_as(operand: Operand, dtype: type[Numeric], extents: tuple[int, ...] | None) -> SSAValue:
    """The SSA value of `operand` as `dtype`, broadcast to a vector of `extents` (None: a scalar)."""
    if isinstance(operand.value, bool | int | float):
        return current().constant(dtype, wrap_static(dtype, operand.value), extents)
    if operand.extents is not None and extents is not None and operand.extents != extents:
        operand = operand.in_order_of_tensors()
    value = convert(operand, dtype)
    if operand.extents is None and extents is not None:
        return current().value("vector.broadcast", [value], current().type(dtype, extents))
    return value


def _cast(source: type[Numeric], dtype: type[Numeric], value: SSAValue, target: Attribute) -> SSAValue:
    if source.is_float and dtype.is_float:
        return _cast_float(source, dtype, value, target)
    if source.is_float:
        return _cast_to_integer(dtype, value, target)
    if "index" in (source.mlir_name, dtype.mlir_name):
        return _cast_index(source, dtype, value, target)
    if dtype.is_float:
        return current().value("arith.sitofp" if source.is_signed else "arith.uitofp", [value], target)
    if dtype.width < source.width:
        return current().value("arith.trunci", [value], target)
    return current().value("arith.extsi" if source.is_signed else "arith.extui", [value], target)


def _cast_float(source: type[Numeric], dtype: type[Numeric], value: SSAValue, target: Attribute) -> SSAValue:
    if source.width == dtype.width or max(source.width, dtype.width) < 16:  # neither holds the other: through f32
        shape = _shape_of(value)
        value = current().value("arith.extf", [value], current().type(named("Float32"), shape))
        return current().value("arith.truncf", [value], target)
    return current().value("arith.truncf" if dtype.width < source.width else "arith.extf", [value], target)


def _step_to_integer(source: type[Numeric], dtype: type[Numeric]) -> str | None:
    """The type by way of which a float becomes an integer, where there is no conversion of its own."""
    if source.is_float and source.width < 16:
        return "Float32"
    return "Int64" if source.mlir_name == "f16" and dtype.width > 64 else None


def _cast_to_integer(dtype: type[Numeric], value: SSAValue, target: Attribute) -> SSAValue:
    if dtype.mlir_name != "index":
        return current().value("arith.fptosi" if dtype.is_signed else "arith.fptoui", [value], target)
    whole = current().value("arith.fptoui", [value], current().type(named("Uint64"), _shape_of(value)))
    return current().value("arith.index_cast", [whole], target)


def _cast_index(source: type[Numeric], dtype: type[Numeric], value: SSAValue, target: Attribute) -> SSAValue:
    if dtype.is_float:
        value = current().value("arith.index_cast", [value], current().type(named("Int64"), _shape_of(value)))
        return current().value("arith.uitofp", [value], target)
    signed = source.is_signed if dtype.mlir_name == "index" else dtype.is_signed and dtype.width <= 64
    return current().value("arith.index_cast" if signed else "arith.index_castui", [value], target)


def _shape_of(value: SSAValue) -> tuple[int, ...] | None:
    return tuple(value.type.get_shape()) if hasattr(value.type, "get_shape") else None
