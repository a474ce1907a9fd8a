"""Conversions of numbers: each of several types to each of several, with what they have to be, rounded once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

THREADS = 32
Array = np.ndarray[Any, Any]
SOURCES = ("int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", "float32")
INTEGERS = ("Int8", "Uint8", "Int16", "Uint16", "Int32", "Uint32", "Int64", "Uint64")
FLOATS = ("Float16", "BFloat16", "Float32")
DIGITS = {"Float16": 11, "BFloat16": 8, "Float32": 24}
_LARGEST = {"Float16": 65504, "BFloat16": 3.3895313892515355e38, "Float32": 3.4028234663852886e38}
_LEAST = {"Float16": -24, "BFloat16": -133, "Float32": -149}
"""The exponent of the least number above zero."""


def operands(source: str) -> Array:
    """Numbers of a type at which conversions go wrong; of floats, those that every integer type holds come first."""
    if source.startswith("float"):
        whole = [0.0, 0.5, 0.99, 1.0, 1.5, 2.5, 3.75, 42.3, 99.5, 100.0, 127.0, 127.9]
        ties = [1.0009765625, 1.00048828125, 1.0014648438, 65519.0, 65520.0, 6e-8, 3e-8, 2.9802322e-08, 8.9e-8]
        ties += [1.00390625, 1.01171875, 1.0117188692, 3.4e38, 1e-45, 1e-40, 9.2e-41, math.inf, math.nan]
        with np.errstate(all="ignore"):
            return _filled(np.array([*whole, *ties, *(-value for value in ties)], source))
    info = np.iinfo(source)
    ties = [16842753, 16777217, 16777219, 2049, 2051, 257, 259, 65519, 65520, 2**60 + 2**36 + 1, 2**62 + 2**38 - 1]
    near = [0, 1, 2, 127, 128, 200, info.max, info.max - 1, info.max // 2, *ties, *(-tie for tie in ties), -1, -128]
    return _filled(np.array([value for value in [*near, info.min] if info.min <= value <= info.max], source))


def _filled(numbers: Array) -> Array:
    return np.resize(numbers, 2 * THREADS)


def is_whole(source: str) -> Array:
    """Which of the operands can be converted to every integer type: floats that all of them hold, truncated."""
    if not source.startswith("float"):
        return np.ones(2 * THREADS, bool)
    with np.errstate(all="ignore"):
        numbers = operands(source).astype(np.float64)
    return (numbers >= 0) & (numbers < 128)


def rounded(value: Any, target: str) -> float:
    """To the nearest float of a type, ties to even."""
    if isinstance(value, float) and (not math.isfinite(value) or value == 0):
        return value
    _, exponent = math.frexp(float(value)) if isinstance(value, float) else (0, abs(value).bit_length())
    last = max(exponent - DIGITS[target], _LEAST[target])
    units = _nearest(value, last) if isinstance(value, int) else round(math.ldexp(value, -last))
    result = math.copysign(math.ldexp(abs(units), last), value)
    return result if abs(result) <= _LARGEST[target] else math.copysign(math.inf, value)


def _nearest(value: int, last: int) -> int:
    """`value` in units of 2**last."""
    if last <= 0:
        return value << -last
    low, rest = divmod(abs(value), 1 << last)
    half = 1 << (last - 1)
    up = rest > half or (rest == half and low % 2 == 1)
    return int(math.copysign(low + up, value))


def results() -> tuple[Array, Array]:
    """What `convert` writes to, zeroed: by source, target and number."""
    shape = (len(SOURCES), len(INTEGERS), 2 * THREADS), (len(SOURCES), len(FLOATS), 2 * THREADS)
    return np.zeros(shape[0], np.int64), np.zeros(shape[1], np.float32)


@flyc.kernel
def _convert(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    d: fx.Tensor,
    e: fx.Tensor,
    f: fx.Tensor,
    g: fx.Tensor,
    h: fx.Tensor,
    ints: fx.Tensor,
    floats: fx.Tensor,
    whole: fx.Tensor,
) -> None:
    i = fx.block_idx.x * THREADS + fx.thread_idx.x
    sources = (a, b, c, d, e, f, g, h)
    for source in fx.range_constexpr(len(SOURCES)):
        value = sources[source][i]
        for row in fx.range_constexpr(len(FLOATS)):
            floats[source, row, i] = getattr(fx, FLOATS[row])(value).to(fx.Float32)
        if whole[source, i] != 0:
            for row in fx.range_constexpr(len(INTEGERS)):
                ints[source, row, i] = getattr(fx, INTEGERS[row])(value).to(fx.Int64)


@flyc.jit
def convert(
    a: fx.Tensor,
    b: fx.Tensor,
    c: fx.Tensor,
    d: fx.Tensor,
    e: fx.Tensor,
    f: fx.Tensor,
    g: fx.Tensor,
    h: fx.Tensor,
    ints: fx.Tensor,
    floats: fx.Tensor,
    whole: fx.Tensor,
) -> None:
    """Numbers of each of `SOURCES` to all of `INTEGERS`, where `whole` lets it, and of `FLOATS`, as i64 and f32."""
    _convert(a, b, c, d, e, f, g, h, ints, floats, whole).launch(grid=2, block=THREADS)


def expected_integers(source: str) -> Array:
    """As `convert` shows them: extended by their own sign."""
    numbers = operands(source)
    rows = [[_wrapped(value, target) for value in numbers.tolist()] for target in INTEGERS]
    return np.where(is_whole(source), np.array(rows, np.int64), 0)


def _wrapped(value: Any, target: str) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        return 0
    bits = int(target.rpartition("t")[2])
    low: int = math.trunc(value) % (1 << bits)
    signed = not target.startswith("U") or bits == 64
    return low - (1 << bits) if signed and low >> (bits - 1) else low


def expected_floats(source: str) -> Array:
    """As `convert` shows them."""
    return np.array([[rounded(value, target) for value in operands(source).tolist()] for target in FLOATS], np.float32)
