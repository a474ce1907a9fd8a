"""The table of math expansions by operation name; docs/reference/math.md has their errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flydsl.passes.math import error_function, exponential, hyperbolic, powers, trigonometric
from flydsl.passes.math.expression import F32, F64

FUNCTIONS: Mapping[str, Callable[..., F32]] = {
    "math.acos": trigonometric.acos,
    "math.acosh": hyperbolic.acosh,
    "math.asin": trigonometric.asin,
    "math.asinh": hyperbolic.asinh,
    "math.atan": trigonometric.atan,
    "math.atan2": trigonometric.atan2,
    "math.atanh": hyperbolic.atanh,
    "math.cbrt": powers.cbrt,
    "math.cosh": hyperbolic.cosh,
    "math.erf": error_function.erf,
    "math.erfc": error_function.erfc,
    "math.exp": exponential.exp,
    "math.exp2": exponential.exp2,
    "math.expm1": exponential.expm1,
    "math.fpowi": powers.fpowi,
    "math.log": exponential.log,
    "math.log10": exponential.log10,
    "math.log1p": exponential.log1p,
    "math.log2": exponential.log2,
    "math.powf": powers.powf,
    "math.sinh": hyperbolic.sinh,
    "math.tanh": hyperbolic.tanh,
}
"""Operation name -> the function of f32 operands (and an i32 for fpowi) that replaces it."""

SCALAR_FUNCTIONS: Mapping[str, Callable[[F32], F32]] = {
    "math.cos": trigonometric.cos,
    "math.sin": trigonometric.sin,
    "math.tan": trigonometric.tan,
}
"""Functions that branch: vectors are taken apart for them."""

WIDE_FUNCTIONS: Mapping[str, Callable[[F64], F64]] = {
    "math.expm1": exponential.expm1_wide,
    "math.log1p": exponential.log1p_wide,
}
"""Functions of f64 that MLIR would compute without care for cancellation; they use a library's."""
