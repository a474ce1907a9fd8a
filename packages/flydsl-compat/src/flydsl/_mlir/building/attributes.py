"""Python values as attributes of the kinds that operations have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flydsl._mlir.building.enumerations import enumerations
from flydsl._mlir.building.values import View, is_type, type_of
from flydsl.base.errors import FrontendError
from flydsl.expr import as_numeric

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_INTEGERS = {"i1": 1, "i8": 8, "i32": 32, "i64": 64}


def attribute(dialect: str, kind: str, value: object) -> Attribute | None:
    """The attribute of a `kind` of the tables for a Python value; None for a flag that is off."""
    from xdsl.dialects import builtin
    from xdsl.ir import Attribute

    if isinstance(value, View):
        value = value.attribute
    if kind == "type":
        return type_of(value)
    if isinstance(value, Attribute):
        return value
    if kind == "unit":
        return builtin.UnitAttr() if value else None
    if kind == "str":
        return builtin.StringAttr(_text(value))
    if kind in _INTEGERS:
        return integer(value, builtin.IntegerType(_INTEGERS[kind]))
    if kind == "index":
        return integer(value, builtin.IndexType())
    if kind == "f64":
        return builtin.FloatAttr(float(as_numeric(value).value), builtin.f64)  # type: ignore[arg-type]
    if kind in ("i32s", "i64s"):
        element = builtin.IntegerType(int(kind[1:-1]))
        return builtin.DenseArrayBase.from_list(element, [_number(item) for item in _items(value)])
    if kind in ("array", "i64-array", "i1-array"):
        return _array(dialect, kind, value)
    known = enumerations(dialect).get(kind)
    return plain(value) if known is None else known.attribute(value)


def integer(value: object, kind: Any) -> Attribute:
    """An integer attribute of a type, from an integer of either sign that is known while tracing."""
    from xdsl.dialects import builtin

    number = _number(value)
    width = kind.width.data if isinstance(kind, builtin.IntegerType) else 64
    if not -(1 << width - 1) <= number < 1 << width:
        raise FrontendError(f"{number} does not fit an attribute of type {kind}")
    if width > 1 and number >> (width - 1) > 0:
        number -= 1 << width
    return builtin.IntegerAttr(number, kind)


def typed(value: object, kind: Attribute) -> Attribute:
    """A number as the constant of a scalar or vector type; an attribute as it is."""
    from xdsl.dialects import builtin
    from xdsl.ir import Attribute

    if isinstance(value, Attribute):
        return value
    number = as_numeric(value).value  # type: ignore[arg-type]
    if isinstance(kind, builtin.VectorType):
        cast = float if isinstance(kind.element_type, builtin.AnyFloat) else int
        return builtin.DenseIntOrFPElementsAttr.from_list(kind, [cast(number)])
    if isinstance(kind, builtin.AnyFloat):
        return builtin.FloatAttr(float(number), kind)
    return integer(value, kind)


def plain(value: object) -> Attribute:
    """A Python value as MLIR's bindings would take it: an integer is i64, a string a string, a list an array."""
    from xdsl.dialects import builtin
    from xdsl.ir import Attribute

    if isinstance(value, Attribute):
        return value
    if is_type(value):
        return type_of(value)
    if isinstance(value, bool):
        return builtin.IntegerAttr(int(value), 1)
    if isinstance(value, int):
        return integer(value, builtin.IntegerType(64))
    if isinstance(value, float):
        return builtin.FloatAttr(value, builtin.f64)
    if isinstance(value, str):
        return builtin.StringAttr(value)
    return builtin.ArrayAttr([plain(item) for item in _items(value)])


def _array(dialect: str, kind: str, value: object) -> Attribute:
    from xdsl.dialects import builtin

    element = kind.removesuffix("array").rstrip("-")
    convert = plain if not element else lambda item: attribute(dialect, element, item)
    return builtin.ArrayAttr([made for made in map(convert, _items(value)) if made is not None])


def _items(value: object) -> Iterable[object]:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return value
    raise FrontendError(f"a list is needed, found {value!r}")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise FrontendError(f"a string is needed, found {value!r}")


def _number(value: object) -> int:
    number = as_numeric(value)  # type: ignore[arg-type]
    if not number.is_static or number.is_float:
        raise FrontendError(f"an attribute is an integer known while tracing, found {value!r}")
    return int(number.value)
