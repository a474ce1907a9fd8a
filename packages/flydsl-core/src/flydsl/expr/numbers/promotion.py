"""Type promotion: the element type of an operator's result from those of its operands."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

from flydsl.expr.numbers.registry import named

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric

_TIMES = ("m", "M")
"""Kinds of NumPy's durations and dates, which count as integers there."""
_INT32_MIN, _INT32_MAX = -(1 << 31), (1 << 31) - 1


def python_type(value: bool | int | float) -> type[Numeric]:
    """bool -> Boolean, int -> Int32 when it fits and Int64 otherwise, float -> Float32."""
    if isinstance(value, bool):
        return named("Boolean")
    if isinstance(value, int):
        return named("Int32" if _INT32_MIN <= value <= _INT32_MAX else "Int64")
    return named("Float32")


def python_number(value: object) -> Any:
    """A number of another library, a NumPy scalar or an array of one number, as a Python number; else unchanged.

    Complex numbers, dates and durations are none.
    """
    if isinstance(value, bool | int | float):
        return value
    kind = type(value)
    if not isinstance(value, Real) and not (hasattr(kind, "item") and hasattr(kind, "shape")):
        return value  # without a look at it, which it may refuse
    if getattr(getattr(value, "dtype", None), "kind", "") in _TIMES:
        return value
    if isinstance(value, Real):
        return int(value) if isinstance(value, Integral) else float(value)
    number = value.item() if value.shape == () else None  # type: ignore[attr-defined]
    return number if isinstance(number, bool | int | float) else value


def known_integer(value: object) -> Any:
    """An integer known while tracing as a Python int: a static number, a static leaf of a shape, one of NumPy; anything
    else is unchanged."""
    if isinstance(value, int):
        return value
    for attribute in ("payload", "value"):  # of an IntTuple, of a Numeric; neither is loaded before it is needed
        held = getattr(value, attribute, None) if getattr(type(value), "is_static", None) is not None else None
        if isinstance(held, int):
            return held
    number = python_number(value)
    return number if isinstance(number, int) else value


def arithmetic_type(lhs: type[Numeric], rhs: type[Numeric]) -> type[Numeric]:
    """The type of `lhs op rhs`: of two integers or floats the wider, of an integer and a float the float, if as wide.

    Integers of equal width and mixed sign give the unsigned one, other floats of equal width Float32. A float that is
    narrower than the integer gives Float32 up to 32 bits and Float64 above. A Boolean counts as Int32.
    """
    lhs, rhs = _widen_boolean(lhs), _widen_boolean(rhs)
    if lhs is rhs:
        return lhs
    if lhs.is_float != rhs.is_float:
        return _mixed_type(lhs, rhs) if lhs.is_float else _mixed_type(rhs, lhs)
    return _float_type(lhs, rhs) if lhs.is_float else _integer_type(lhs, rhs)


def true_division_type(lhs: type[Numeric], rhs: type[Numeric]) -> type[Numeric]:
    """The type of `lhs / rhs`: two integers give Float32 up to 32 bits and Float64 above."""
    common = arithmetic_type(lhs, rhs)
    return common if common.is_float else _float_for(common)


def _widen_boolean(kind: type[Numeric]) -> type[Numeric]:
    return named("Int32") if kind is named("Boolean") else kind


def _mixed_type(real: type[Numeric], integer: type[Numeric]) -> type[Numeric]:
    if integer.width <= real.width or real is named("Float64"):
        return real
    return _float_for(integer)


def _float_for(integer: type[Numeric]) -> type[Numeric]:
    return named("Float32" if integer.width <= 32 else "Float64")


def _float_type(lhs: type[Numeric], rhs: type[Numeric]) -> type[Numeric]:
    if lhs.width == rhs.width:
        return named("Float32")
    return lhs if lhs.width > rhs.width else rhs


def _integer_type(lhs: type[Numeric], rhs: type[Numeric]) -> type[Numeric]:
    if lhs.width != rhs.width:
        return lhs if lhs.width > rhs.width else rhs
    if lhs.is_signed != rhs.is_signed:
        return rhs if lhs.is_signed else lhs
    return lhs
