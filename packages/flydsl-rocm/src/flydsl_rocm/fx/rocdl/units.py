"""The transcendental units: one instruction each, with the hardware's accuracy (about 1 ulp) and its ranges.

Every function also takes a result type in front, as kernels written with raw operations pass it.
"""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import FrontendError
from flydsl.expr import Float16, Float32, Float64, Numeric, as_numeric
from flydsl_rocm.features import Feature

from .chips import require
from .emit import intrinsic, operation, values

__all__ = ["cos", "exp2", "fmed3", "log", "rcp", "rsq", "sin", "sqrt", "tanh"]


def exp2(*args: Any) -> Any:
    """`exp2(x)`: 2 ** x; denormal f32 results are 0."""
    return _unary("exp2", args)


def log(*args: Any) -> Any:
    """`log(x)`: the logarithm to base 2."""
    return _unary("log", args)


def rcp(*args: Any) -> Any:
    """`rcp(x)`: 1 / x; f64 is only a first approximation."""
    return _unary("rcp", args, Float64)


def rsq(*args: Any) -> Any:
    """`rsq(x)`: 1 / sqrt(x); f64 is only a first approximation."""
    require("rsq")
    value = _operand("rsq", args, Float64)
    return value.dtype.wrap(intrinsic("rsq", [value.ir_value()], [value.ir_type]))


def sqrt(*args: Any) -> Any:
    """`sqrt(x)`."""
    return _unary("sqrt", args)


def sin(*args: Any) -> Any:
    """`sin(x)`: of 2 pi x, for |x| up to 256."""
    return _unary("sin", args)


def cos(*args: Any) -> Any:
    """`cos(x)`: of 2 pi x, for |x| up to 256."""
    return _unary("cos", args)


def tanh(*args: Any) -> Any:
    """`tanh(x)`."""
    require("tanh", Feature.TANH)
    return _unary("tanh", args)


def fmed3(*args: Any) -> Any:
    """`fmed3(a, b, c)`: the median."""
    require("fmed3")
    first, *others = (as_numeric(value) for value in values("fmed3", args, 3))
    _check("fmed3", first, ())
    operands = [first.ir_value(), *(first.dtype(other).ir_value() for other in others)]
    return first.dtype.wrap(operation("fmed3", operands, [first.ir_type]))


def _unary(name: str, args: tuple[Any, ...], *more: type[Numeric]) -> Numeric:
    require(name)
    value = _operand(name, args, *more)
    return value.dtype.wrap(operation(name, [value.ir_value()], [value.ir_type]))


def _operand(name: str, args: tuple[Any, ...], *more: type[Numeric]) -> Numeric:
    value = as_numeric(values(name, args, 1)[0])
    _check(name, value, more)
    return value


def _check(name: str, value: Numeric, more: tuple[type[Numeric], ...]) -> None:
    kinds: tuple[type[Numeric], ...] = (Float32, Float16, *more)
    if value.dtype not in kinds:
        raise FrontendError(f"fx.rocdl.{name} takes {', '.join(kind.__name__ for kind in kinds)}, found {value!r}")
