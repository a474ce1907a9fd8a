"""Attributes that a program gives to the function of a kernel, or to a launch: `unit_attrs` and `value_attrs`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from xdsl.dialects import builtin
from xdsl.ir import Attribute

from flydsl.base.errors import FrontendError

_OWN = frozenset({"function_type", "gpu.kernel", "kernel", "operandSegmentSizes", "sym_name"})


def given_attributes(unit_attrs: object, value_attrs: object) -> dict[str, Attribute]:
    """Unit attributes by name, and others with values: bools, ints (i32), floats (f32), strings, lists of ints (a dense
    array), lists of any, and attributes of MLIR; None is no attribute.
    """
    units, values = _names(unit_attrs), _items(value_attrs)
    for name in (*units, *values):
        if not isinstance(name, str) or not name or name in _OWN:
            raise FrontendError(f"an attribute of a kernel has a name that is not one of its own parts, found {name!r}")
    if twice := [name for name in units if name in values]:
        raise FrontendError(f"attribute {twice[0]!r} is in unit_attrs and in value_attrs; give it once")
    return {
        **{name: builtin.UnitAttr() for name in units},
        **{name: _attribute(name, value) for name, value in values.items()},
    }


def _names(units: object) -> list[Any]:
    if units is None:
        return []
    if isinstance(units, str) or not isinstance(units, Iterable):
        raise FrontendError(f"unit_attrs is a list of names of attributes, found {units!r}")
    return list(units)


def _items(values: object) -> dict[Any, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise FrontendError(f"value_attrs is a dictionary of attributes by name, found {values!r}")
    return {name: value for name, value in values.items() if value is not None}


def _attribute(name: str, value: Any) -> Attribute:
    if isinstance(value, Attribute):
        return value
    if isinstance(value, bool):
        return builtin.IntegerAttr.from_bool(value)
    if isinstance(value, int) and -(1 << 31) <= value < 1 << 31:
        return builtin.IntegerAttr(int(value), builtin.i32)
    if isinstance(value, float):
        return builtin.FloatAttr(value, builtin.f32)
    if isinstance(value, str):
        return builtin.StringAttr(value)
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, int) and not isinstance(item, bool) for item in value):
            return builtin.DenseArrayBase.from_list(builtin.i32, list(value))
        return builtin.ArrayAttr([_attribute(name, item) for item in value])
    raise FrontendError(
        f"attribute {name!r} of a kernel is a bool, int, float, string, a list of them or an attribute of MLIR, "
        f"found {value!r}"
    )
