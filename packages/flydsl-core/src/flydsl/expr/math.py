"""Functions of floats and of the bits of integers, on scalars and vectors; static arguments are folded."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING

from flydsl.base.errors import FrontendError
from flydsl.expr.numbers.fast_math import FastMathFlags, Flags, overriding
from flydsl.expr.numbers.float_functions import unary
from flydsl.expr.numbers.folding import wrap_static
from flydsl.expr.numbers.operands import check_keywords, emit_joint, float_operand, integer_operand, is_static
from flydsl.expr.numbers.operators import absolute, binary, compare
from flydsl.expr.numbers.powers import fpowi, ipowi
from flydsl.expr.numbers.promotion import arithmetic_type
from flydsl.expr.numeric import Boolean
from flydsl.expr.tracing.context import current
from flydsl.ir.math_functions import MATH_FUNCTIONS

if TYPE_CHECKING:
    from flydsl.expr.numbers.operands import Operand
    from flydsl.expr.numbers.operator_types import BitFunction, FloatFunction
    from flydsl.expr.values.operand_types import VectorLike
    from flydsl.expr.values.traced_types import Scalar, ScalarOrVector

__all__ = [
    "absf",
    "absi",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clampf",
    "copysign",
    "cos",
    "cosh",
    "ctlz",
    "ctpop",
    "cttz",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "floor",
    "fma",
    "fpowi",
    "ipowi",
    "isfinite",
    "isinf",
    "isnan",
    "isnormal",
    "log",
    "log1p",
    "log2",
    "log10",
    "powf",
    "round",
    "roundeven",
    "rsqrt",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
]


_SMALLEST_NORMAL = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}


def _unary(name: str) -> FloatFunction:
    def function(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
        check_keywords(name, kwargs)
        return unary(name, x, fastmath)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of a float scalar or vector, element by element."
    return function  # type: ignore[return-value]


absf = _unary("absf")
"""The absolute value of a float."""
acos = _unary("acos")
"""The angle in radians between 0 and pi whose cosine is x; NaN outside [-1, 1]."""
acosh = _unary("acosh")
"""The inverse hyperbolic cosine; NaN below 1."""
asin = _unary("asin")
"""The angle in radians between -pi/2 and pi/2 whose sine is x; NaN outside [-1, 1]."""
asinh = _unary("asinh")
"""The inverse hyperbolic sine."""
atan = _unary("atan")
"""The angle in radians between -pi/2 and pi/2 whose tangent is x."""
atanh = _unary("atanh")
"""The inverse hyperbolic tangent; NaN outside [-1, 1]."""
cbrt = _unary("cbrt")
"""The cube root."""
ceil = _unary("ceil")
"""The smallest integer not less than x, as a float."""
cos = _unary("cos")
"""The cosine of an angle in radians."""
cosh = _unary("cosh")
"""The hyperbolic cosine."""
erf = _unary("erf")
"""The error function."""
erfc = _unary("erfc")
"""1 - erf(x), accurate where erf(x) is close to 1."""
exp = _unary("exp")
"""e to the power of x."""
exp2 = _unary("exp2")
"""2 to the power of x."""
expm1 = _unary("expm1")
"""exp(x) - 1, accurate near 0."""
floor = _unary("floor")
"""The largest integer not greater than x, as a float."""
log = _unary("log")
"""The natural logarithm; NaN below 0."""
log1p = _unary("log1p")
"""log(1 + x), accurate near 0; NaN below -1."""
log2 = _unary("log2")
"""The base-2 logarithm; NaN below 0."""
log10 = _unary("log10")
"""The base-10 logarithm; NaN below 0."""
round = _unary("round")
"""The nearest integer, ties away from 0, as a float."""
roundeven = _unary("roundeven")
"""The nearest integer, ties to even, as a float."""
rsqrt = _unary("rsqrt")
"""1 / sqrt(x); NaN below 0."""
sin = _unary("sin")
"""The sine of an angle in radians."""
sinh = _unary("sinh")
"""The hyperbolic sine."""
sqrt = _unary("sqrt")
"""The square root; NaN below 0."""
tan = _unary("tan")
"""The tangent of an angle in radians."""
tanh = _unary("tanh")
"""The hyperbolic tangent."""
trunc = _unary("trunc")
"""x rounded towards 0 to an integer, as a float."""


def atan2(y: VectorLike, x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """The angle of the point (x, y) in radians, between -pi and pi."""
    return _joint("atan2", (y, x), fastmath, kwargs)


def copysign(mag: VectorLike, sign: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """`mag` with the sign of `sign`."""
    return _joint("copysign", (mag, sign), fastmath, kwargs)


def fma(a: VectorLike, b: VectorLike, c: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """a * b + c, rounded once."""
    return _joint("fma", (a, b, c), fastmath, kwargs)


def powf(base: VectorLike, exp: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """`base` to the power of `exp`, both floats."""
    return _joint("powf", (base, exp), fastmath, kwargs)


def clampf(
    x: VectorLike, lo: VectorLike, hi: VectorLike, *, fastmath: Flags = None, **kwargs: object
) -> ScalarOrVector:
    """`x` clamped to the range from `lo` to `hi`; NaN propagates."""
    check_keywords("clampf", kwargs)
    x, lo, hi = (float_operand(value) for value in (x, lo, hi))
    with overriding(fastmath):
        return binary("minimum", binary("maximum", x, lo), hi)


def sincos(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> tuple[ScalarOrVector, ScalarOrVector]:
    """The pair (sin(x), cos(x)), x in radians."""
    return sin(x, fastmath=fastmath, **kwargs), cos(x, fastmath=fastmath, **kwargs)  # type: ignore[return-value]


def absi(x: VectorLike, **kwargs: object) -> ScalarOrVector:
    """The absolute value of an integer; the minimum of a signed type is returned unchanged."""
    check_keywords("absi", kwargs)
    return absolute(integer_operand("absi", x))


def _bits(name: str, fold: Callable[[int, int], int]) -> BitFunction:
    def function(x: VectorLike, **kwargs: object) -> ScalarOrVector:
        check_keywords(name, kwargs)
        operand = integer_operand(name, x)
        width = operand.dtype.width
        if is_static(operand):
            return operand.dtype(fold(int(operand.value) & ((1 << width) - 1), width))  # type: ignore[no-any-return]
        if operand.dtype.mlir_name == "index":
            raise FrontendError(f"{name} needs an integer of known width, found Index; convert with .to(fx.Int64)")
        return operand._like(current().value(f"math.{name}", [operand.value], operand.value.type), operand.dtype)  # type: ignore[no-any-return]

    function.__name__ = function.__qualname__ = name
    return function  # type: ignore[return-value]


ctlz = _bits("ctlz", lambda bits, width: width - bits.bit_length())
ctlz.__doc__ = "Number of leading zero bits of an integer; its width for 0."
ctpop = _bits("ctpop", lambda bits, width: bits.bit_count())
ctpop.__doc__ = "Number of bits of an integer that are set."
cttz = _bits("cttz", lambda bits, width: (bits & -bits).bit_length() - 1 if bits else width)
cttz.__doc__ = "Number of trailing zero bits of an integer; its width for 0."


def isnan(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """Whether a float is NaN; exact under any fast-math flags."""
    return _classify("isnan", math.isnan, lambda x: compare("ne", x, x), x, kwargs)


def isinf(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """Whether a float is infinite; exact under any fast-math flags."""
    return _classify("isinf", math.isinf, lambda x: compare("eq", absf(x), math.inf), x, kwargs)


def isfinite(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """Whether a float is neither infinite nor NaN; exact under any fast-math flags."""
    return _classify("isfinite", math.isfinite, lambda x: compare("lt", absf(x), math.inf), x, kwargs)


def isnormal(x: VectorLike, *, fastmath: Flags = None, **kwargs: object) -> ScalarOrVector:
    """Whether a float is neither zero, subnormal, infinite nor NaN; exact under any fast-math flags."""
    operand = float_operand(x)
    smallest = _SMALLEST_NORMAL.get(operand.dtype.mlir_name)
    if smallest is None:
        raise FrontendError(f"isnormal of {operand.dtype.__name__} is not defined; convert with .to(fx.Float32)")

    def test(x: Scalar) -> Boolean:
        size = absf(x)
        return compare("lt", size, math.inf) & compare("ge", size, operand.dtype(smallest))

    return _classify("isnormal", lambda x: smallest <= abs(x) < math.inf, test, operand, kwargs)


def _classify(
    name: str,
    fold: Callable[[float], bool],
    test: Callable[[Scalar], Operand],
    x: VectorLike,
    keywords: dict[str, object],
) -> ScalarOrVector:
    check_keywords(name, keywords)
    operand = float_operand(x)
    if is_static(operand):
        return Boolean.wrap(fold(operand.value))  # type: ignore[return-value]
    with overriding(FastMathFlags.none):
        return test(operand)  # type: ignore[return-value]


def _joint(name: str, values: tuple[VectorLike, ...], fastmath: Flags, keywords: dict[str, object]) -> ScalarOrVector:
    check_keywords(name, keywords)
    operands, function = [float_operand(value) for value in values], MATH_FUNCTIONS.get(name)
    if function is not None and all(map(is_static, operands)):
        dtype = reduce(arithmetic_type, [operand.dtype for operand in operands])
        with suppress(ValueError, OverflowError, ZeroDivisionError):
            return dtype.wrap(wrap_static(dtype, function.fold(*(operand.value for operand in operands))))  # type: ignore[no-any-return]
    return emit_joint(name, f"math.{name}", *operands, fastmath=fastmath)
