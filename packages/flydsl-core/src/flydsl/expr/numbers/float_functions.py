"""Float functions of one operand, element by element; static operands are evaluated while tracing."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from flydsl.expr.numbers.fast_math import Flags, overriding
from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.operands import float_operand, is_static
from flydsl.expr.tracing.context import current
from flydsl.ir.math_functions import MATH_FUNCTIONS

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import ArithmeticLike
    from flydsl.expr.values.traced_types import ScalarOrVector


def unary(name: str, x: ArithmeticLike, fastmath: Flags = None) -> ScalarOrVector:
    """The function `math.<name>` of MLIR of a float scalar or vector."""
    operand = float_operand(x)
    if is_static(operand):
        with suppress(ValueError, OverflowError, ZeroDivisionError):  # Python has no NaN and infinity there
            return operand.dtype.wrap(wrap_static(operand.dtype, MATH_FUNCTIONS[name].fold(operand.value)))  # type: ignore[no-any-return]
    value = operand.ir_value()
    with overriding(fastmath):
        return operand._like(current().value(f"math.{name}", [value], value.type), operand.dtype)  # type: ignore[no-any-return]
