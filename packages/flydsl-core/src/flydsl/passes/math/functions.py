"""The expansions of math functions by operation name; docs/reference/math.md has their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from flydsl.ir.math_functions import INSTRUCTION, MATH_FUNCTIONS, MathFunction
from flydsl.passes.math import error_function, exponential, hyperbolic, powers, trigonometric
from flydsl.passes.math.expression import F32, F64

_MODULES = {
    module.__name__.rpartition(".")[2]: module
    for module in (error_function, exponential, hyperbolic, powers, trigonometric)
}


def _expansion(reference: str) -> Callable[..., Any]:
    module, _, name = reference.partition(".")
    function: Callable[..., Any] = getattr(_MODULES[module], name)
    return function


def _expanded() -> list[MathFunction]:
    return [function for function in MATH_FUNCTIONS.values() if function.expansion not in ("", INSTRUCTION)]


FUNCTIONS: Mapping[str, Callable[..., F32]] = {
    f"math.{function.name}": _expansion(function.expansion) for function in _expanded() if not function.branches
}
"""Operation name -> the function of f32 operands (and an i32 for fpowi) that replaces it."""

SCALAR_FUNCTIONS: Mapping[str, Callable[[F32], F32]] = {
    f"math.{function.name}": _expansion(function.expansion) for function in _expanded() if function.branches
}
"""Functions that branch: vectors are taken apart for them."""

WIDE_FUNCTIONS: Mapping[str, Callable[[F64], F64]] = {
    f"math.{function.name}": _expansion(function.wide_expansion) for function in _expanded() if function.wide_expansion
}
"""Functions of f64 that MLIR would compute without care for cancellation; they use a library's."""
