"""Epilogues of products on Hopper: functions of a piece of sums, of where it is in C, and of what is read for it.

Each takes vectors with what a thread has of 64 x 64 elements, and gives the results: `epilogue(sums, places, *extras)`.
They are made of functions of vectors as any others; a value costs little as long as it takes one special function.
`InNumPy` says the same of arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import flydsl.expr as fx

__all__ = ["EPILOGUES", "bias_gelu_residual", "bias_silu", "gelu", "lower", "plain", "relu", "silu"]

_ROOT = math.sqrt(2 / math.pi)


def relu(values: fx.Vector) -> fx.Vector:
    return fx.max(values, 0.0)


def silu(values: fx.Vector) -> fx.Vector:
    """x / (1 + exp(-x)) as x/2 (1 + tanh(x/2)): one instruction of the special function unit."""
    half = values * 0.5
    result: fx.Vector = fx.fma(half, fx.nvvm.tanh_approx(half), half)
    return result


def gelu(values: fx.Vector) -> fx.Vector:
    """By the hyperbolic tangent."""
    half = values * 0.5
    inner = values * fx.fma(values * values, 0.044715 * _ROOT, _ROOT)
    result: fx.Vector = fx.fma(half, fx.nvvm.tanh_approx(inner), half)
    return result


def plain(sums: fx.Vector, places: Any) -> fx.Vector:
    """C = A B^T, as it is."""
    return sums


def bias_only(sums: fx.Vector, places: Any, bias: fx.Vector) -> fx.Vector:
    return sums + bias


def bias_gelu(sums: fx.Vector, places: Any, bias: fx.Vector) -> fx.Vector:
    return gelu(sums + bias)


def bias_relu(sums: fx.Vector, places: Any, bias: fx.Vector) -> fx.Vector:
    return relu(sums + bias)


def bias_silu(sums: fx.Vector, places: Any, bias: fx.Vector) -> fx.Vector:
    return silu(sums + bias)


def bias_gelu_residual(sums: fx.Vector, places: Any, bias: fx.Vector, residual: fx.Vector) -> fx.Vector:
    """A linear layer, its activation, and what goes around both."""
    return gelu(sums + bias) + residual


def lower(sums: fx.Vector, places: Any) -> fx.Vector:
    """Nothing above the diagonal."""
    values, zero = sums.reshape(sums.numel), fx.Float32(0)
    kept = [fx.arith.select(row >= column, values[i], zero) for i, (row, column) in places.numbered(sums.numel)]
    return fx.Vector.from_elements(kept).flattened_like(sums)


class InNumPy:
    """The same epilogues on arrays."""

    @staticmethod
    def plain(sums: Any) -> Any:
        return sums

    @staticmethod
    def bias(sums: Any, bias: Any) -> Any:
        return sums + bias

    @staticmethod
    def bias_gelu(sums: Any, bias: Any) -> Any:
        x = sums + bias
        return 0.5 * x * (1 + np.tanh(_ROOT * (x + 0.044715 * x**3)))

    @staticmethod
    def bias_relu(sums: Any, bias: Any) -> Any:
        return np.maximum(sums + bias, 0)

    @staticmethod
    def bias_silu(sums: Any, bias: Any) -> Any:
        return (sums + bias) / (1 + np.exp(-sums - bias))

    @staticmethod
    def bias_gelu_residual(sums: Any, bias: Any, residual: Any) -> Any:
        return InNumPy.bias_gelu(sums, bias) + residual


EPILOGUES: dict[str, tuple[Callable[..., fx.Vector], Callable[..., Any], tuple[str, ...]]] = {
    "plain": (plain, InNumPy.plain, ()),
    "bias": (bias_only, InNumPy.bias, ("bias",)),
    "bias_gelu": (bias_gelu, InNumPy.bias_gelu, ("bias",)),
    "bias_relu": (bias_relu, InNumPy.bias_relu, ("bias",)),
    "bias_silu": (bias_silu, InNumPy.bias_silu, ("bias",)),
    "bias_gelu_residual": (bias_gelu_residual, InNumPy.bias_gelu_residual, ("bias", "residual")),
    "lower": (lower, np.tril, ()),
}
"""By name: on the device, in NumPy, and the names of what is read."""
