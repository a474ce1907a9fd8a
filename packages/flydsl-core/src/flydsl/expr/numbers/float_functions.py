"""Float functions of one operand, element by element; static operands are evaluated while tracing."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.operands import float_operand, is_static
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ArithmeticLike
    from flydsl.expr.values.traced_types import ScalarOrVector


def unary(name: str, x: ArithmeticLike, fastmath: Flags = None) -> ScalarOrVector:
    """The function `math.<name>` of MLIR of a float scalar or vector."""
    operand = float_operand(x)
    if is_static(operand):
        with suppress(ValueError, OverflowError, ZeroDivisionError):  # Python has no NaN and infinity there
            return operand.dtype.wrap(wrap_static(operand.dtype, _FOLDS[name](operand.value)))  # type: ignore[no-any-return]
    value = operand.ir_value()
    with overriding(fastmath):
        return operand._like(current().value(f"math.{name}", [value], value.type), operand.dtype)  # type: ignore[no-any-return]


def _integral(function: Callable[[float], float]) -> Callable[[float], float]:
    """A rounding of Python's as a function that keeps infinities, NaN and the sign of zero."""
    return lambda x: math.copysign(function(x), x) if math.isfinite(x) else x


def _half_away(x: float) -> float:
    whole = math.trunc(x)
    return whole + math.copysign(1, x) if abs(x - whole) >= 0.5 else whole


_FOLDS: dict[str, Callable[[float], float]] = {
    "absf": abs,
    "acos": math.acos,
    "acosh": math.acosh,
    "asin": math.asin,
    "asinh": math.asinh,
    "atan": math.atan,
    "atanh": math.atanh,
    "cbrt": math.cbrt,
    "ceil": _integral(math.ceil),
    "cos": math.cos,
    "cosh": math.cosh,
    "erf": math.erf,
    "erfc": math.erfc,
    "exp": math.exp,
    "exp2": math.exp2,
    "expm1": math.expm1,
    "floor": _integral(math.floor),
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "round": _integral(_half_away),
    "roundeven": _integral(builtins.round),
    "rsqrt": lambda x: 1.0 / math.sqrt(x),
    "sin": math.sin,
    "sinh": math.sinh,
    "sqrt": math.sqrt,
    "tan": math.tan,
    "tanh": math.tanh,
    "trunc": _integral(math.trunc),
}
