"""Arithmetic of scalar types: rounding, wrapping, and the bytes that a number has in memory.

Integers are signed Python ints, i1 is 0 or 1. Floats of every format are Python floats, which hold each of their values
exactly. Every rounding here is a single one, to nearest even.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType, f16, f32, f64
from xdsl.ir import Attribute

from flydsl.base.arithmetic import rounding, to_odd
from flydsl.base.errors import IRError
from flydsl.base.float_formats import EXPONENT_ONLY, FLOAT_FORMATS, FloatFormat, exponent_bits, exponent_value
from flydsl.ir.fly.element import element_bits

Number = Any

_CODES = {f16: "e", f32: "f", f64: "d"}
_INTEGER_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}


@dataclass(frozen=True, slots=True)
class Codec:
    """How a scalar lies in memory."""

    size: int
    read: Callable[[Any, int], Number]
    write: Callable[[Any, int, Number], None]


def is_float(type_: Attribute) -> bool:
    """Whether a scalar type is one of the float formats."""
    return isinstance(type_, AnyFloat)


@cache
def wrapper(width: int) -> Callable[[int], int]:
    """Integers into the signed range of a width; one bit stays 0 or 1."""
    half, mask = 1 << (width - 1), (1 << width) - 1
    if width == 1:
        return lambda value: value & 1
    return lambda value: (value + half & mask) - half


@cache
def rounder(type_: Attribute) -> Callable[[Number], Number]:
    """Exact numbers as values of a scalar type: integers wrap, floats are rounded once."""
    if isinstance(type_, IntegerType | IndexType):
        return wrapper(element_bits(type_))
    if type_.name != EXPONENT_ONLY:
        _format(type_)
    return rounding(type_.name)


@cache
def codec(type_: Attribute) -> Codec:
    """How values of a scalar type lie in memory; types of less than a byte take a byte."""
    if type_ in _CODES:
        return _packed(_CODES[type_])
    if isinstance(type_, AnyFloat):
        if type_.name == EXPONENT_ONLY:
            return _by_bits(1, exponent_bits, exponent_value)
        form = _format(type_)
        size = max(1, element_bits(type_) // 8)
        return _by_bits(size, form.encode, form.decode)
    if isinstance(type_, IntegerType | IndexType):
        width = element_bits(type_)
        if width in _INTEGER_CODES:
            return _packed(_INTEGER_CODES[width])
        wrap, mask = wrapper(width), (1 << width) - 1
        return _by_bits(max(1, -(-width // 8)), lambda value: int(value) & mask, wrap)
    raise IRError(f"values of type {type_} cannot be interpreted")


def fused(a: float, b: float, c: float) -> float:
    """a * b + c of f32 or narrower operands, such that rounding it once more is rounding once."""
    product = a * b  # exact: 48 bits
    total = product + c
    if not math.isfinite(total):
        return total
    back = total - product
    return to_odd(total, (product - (total - back)) + (c - back))


def _packed(code: str) -> Codec:
    form = struct.Struct(f"<{code}")
    unpack, pack = form.unpack_from, form.pack_into

    def read(data: Any, offset: int) -> Number:
        return unpack(data, offset)[0]

    return Codec(form.size, read, pack)


def _by_bits(size: int, encode: Callable[[Number], int], decode: Callable[[int], Number]) -> Codec:
    def read(data: Any, offset: int) -> Number:
        return decode(int.from_bytes(data[offset : offset + size], "little"))

    def write(data: Any, offset: int, value: Number) -> None:
        data[offset : offset + size] = encode(value).to_bytes(size, "little")

    return Codec(size, read, write)


def _format(type_: Attribute) -> FloatFormat:
    form = FLOAT_FORMATS.get(type_.name)
    if form is None:
        raise IRError(f"values of type {type_} cannot be interpreted")
    return form
