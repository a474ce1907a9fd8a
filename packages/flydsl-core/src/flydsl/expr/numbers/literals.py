"""Numbers of a program as numbers of a type, with a warning for those that it cannot hold."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import OutOfRangeWarning
from flydsl.base.float_formats import FLOAT_FORMATS
from flydsl.base.location import user_location
from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.meta import NumericMeta
from flydsl.expr.numbers.operands import is_static

if TYPE_CHECKING:
    from flydsl.expr.numbers.base import Numeric
    from flydsl.expr.values.operand_types import Number


def literal(dtype: type[Numeric], value: Number) -> Number:
    """A Python number converted to `dtype`; warns (OutOfRangeWarning, at the user's line) when that cannot hold it."""
    result = wrap_static(dtype, value)
    if result != value and dtype.width > 1 and _is_outside(dtype, value, result):
        caller = user_location()
        warnings.warn_explicit(
            f"{value!r} does not fit in {dtype.__name__}, and counts as {result!r}; {_advice(dtype, value)}",
            OutOfRangeWarning,
            caller.file if caller is not None else __file__,
            caller.line if caller is not None else 1,
        )
    return result


def known_number(value: object) -> Any:
    """The Python number of a scalar that is known, for a conversion that the program does not ask for; else `value`."""
    return value.value if isinstance(type(value), NumericMeta) and is_static(value) else value  # type: ignore[arg-type, attr-defined]


def _is_outside(dtype: type[Numeric], value: Number, result: Number) -> bool:
    if not dtype.is_float:
        return math.trunc(value) != result
    if not _is_finite(value):
        return False
    form = FLOAT_FORMATS.get(dtype.mlir_name)
    if form is None or form.has_infinity or form.nan is not None:
        return not math.isfinite(result)
    step = math.ldexp(1.0, math.frexp(form.largest_value)[1] - form.precision)
    return abs(value) >= form.largest_value + step / 2


def _advice(dtype: type[Numeric], value: Number) -> str:
    if dtype.is_float or isinstance(value, float):
        return "use a type with a larger range"
    wide = "Int64" if -1 << 63 <= value < 1 << 63 else "Int128"
    return f"use a wider type, or fx.{dtype.__name__}(fx.{wide}({value})) where the low bits are meant"


def _is_finite(value: Number) -> bool:
    return isinstance(value, int) or math.isfinite(value)
