"""Functions of numbers that are one instruction, where the neutral ones take more for their exactness."""

from __future__ import annotations

from typing import overload

from flydsl.base.errors import FrontendError
from flydsl.expr import Float32, Vector, as_numeric

from .chips import SM80, require
from .emit import float_function

__all__ = ["tanh_approx"]

_TANH = "tanh.approx.f32 $0, $1;"


@overload
def tanh_approx(value: Vector) -> Vector: ...
@overload
def tanh_approx(value: Float32 | float) -> Float32: ...
def tanh_approx(value: Vector | Float32 | float) -> Vector | Float32:
    """The hyperbolic tangent of a Float32, or of each of a vector, with a relative error of 2^-11: enough for what
    becomes 16 bits. `fx.tanh` is exact to the last bits, and several times slower.
    """
    require("tanh_approx", SM80)
    if not isinstance(value, Vector):
        return float_function(_TANH, as_numeric(value))
    if value.dtype is not Float32:
        raise FrontendError(f"fx.nvvm.tanh_approx is of Float32, found {value!r}; .to(fx.Float32) converts")
    flat = value.reshape(value.numel)
    lanes = [float_function(_TANH, flat[index]) for index in range(value.numel)]
    return Vector.from_elements(lanes).flattened_like(value)
