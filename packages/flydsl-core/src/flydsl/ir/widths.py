"""Widths of scalar types as Python integers, as MLIR's bindings have them.

xDSL keeps the width of an integer type in an attribute (`IntAttr`) and calls that of a float `bitwidth`. Programs that
are written for MLIR's bindings compute with both: `t.width // 8`, `t.width == 32`. So the attribute computes as its
number does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xdsl.dialects import builtin

_BINARY = ("add", "sub", "mul", "floordiv", "truediv", "mod", "lshift", "rshift", "and_", "or_", "xor")
_ORDER = ("lt", "le", "gt", "ge")


def compute_with_widths() -> None:
    """Let the widths of types be used as integers; doing it again changes nothing."""
    cls: Any = builtin.IntAttr
    if hasattr(cls, "__index__"):
        return
    for name in (*_BINARY, *_ORDER):
        function, method = getattr(operator, name), name.rstrip("_")
        setattr(cls, f"__{method}__", _applied(function))
        if name in _BINARY:
            setattr(cls, f"__r{method}__", _reflected(function))
    cls.__index__ = cls.__int__ = lambda self: self.data
    cls.__eq__ = _equal  # the hash stays: types are keys of tables that were made before
    cls.__str__ = lambda self: str(self.data)
    cls.__format__ = lambda self, spec: format(self.data, spec)
    floats: Any = builtin._FloatType
    floats.width = property(lambda self: self.bitwidth)


def _number(value: object) -> Any:
    return value.data if isinstance(value, builtin.IntAttr) else value


def _applied(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self.data, _number(other))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self.data)


def _equal(self: Any, other: object) -> bool:
    return bool(self.data == _number(other))
