"""NumPy's functions on values of a kernel: those that are operators, and counterparts of the others."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "divide": operator.truediv,
    "equal": operator.eq,
    "floor_divide": operator.floordiv,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "less": operator.lt,
    "less_equal": operator.le,
    "multiply": operator.mul,
    "not_equal": operator.ne,
    "remainder": operator.mod,
    "subtract": operator.sub,
    "true_divide": operator.truediv,
}
"""The functions behind NumPy's operators, by their names."""

_SAME = (
    *("cbrt", "ceil", "copysign", "cos", "cosh", "exp", "exp2", "expm1", "floor", "isfinite", "isinf", "isnan", "log"),
    *("log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
COUNTERPARTS: dict[str, str] = {
    **dict.fromkeys(("absolute", "fabs"), "absf"),
    **{f"arc{name}": f"a{name}" for name in ("cos", "cosh", "sin", "sinh", "tan", "tan2", "tanh")},
    **{"float_power": "powf", "maximum": "max", "minimum": "min", "power": "powf", "rint": "roundeven"},
    **{name: name for name in _SAME},
}
"""The counterparts in `fx` of NumPy's functions, by NumPy's names."""


def refusal(name: str, inputs: tuple[object, ...]) -> str:
    """Why NumPy's function `name` cannot take `inputs`, and what to call."""
    counterpart = COUNTERPARTS.get(name)
    hint = f"use fx.{counterpart}" if counterpart else "use the functions of fx"
    return f"numpy.{name} computes in Python, and is given {', '.join(map(repr, inputs))} of a kernel; {hint}"
