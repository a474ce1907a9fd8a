"""Conversions of narrow floats: the lowered arithmetic gives the bits that the interpreter defines."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from expressions import compiled
from toy_target import SPACES, ConvertFlyTo
from xdsl.dialects.builtin import IntegerType, ModuleOp

from flydsl.backend.conversion.target import LoweringTarget
from flydsl.ir.context import create_context
from flydsl.ir.fly.element import element_bits
from flydsl.ir.interpret.numbers import codec
from flydsl.ir.parse import parse_module, parse_type

FORMATS = [
    *("f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2FNUZ"),
    *("f8E8M0FNU", "f6E3M2FN", "f6E2M3FN", "f4E2M1FN"),
]


def lowered(operation: str, source: str, target: str) -> ModuleOp:
    """A function that converts one number, after the lowering."""
    module = parse_module(
        f"func.func @f(%x: {source}) -> {target} {{\n"
        f"  %y = arith.{operation} %x : {source} to {target}\n"
        f"  return %y : {target}\n}}"
    )
    ConvertFlyTo(LoweringTarget("toy", SPACES)).apply(create_context(), module)
    return module


def bits(number: float, type_: str) -> int:
    """The bits of a number in a narrow format, as the interpreter stores them."""
    memory = bytearray(1)
    codec(parse_type(type_)).write(memory, 0, number)
    return memory[0]


def number(pattern: int, type_: str) -> float:
    return codec(parse_type(type_)).read(bytearray([pattern]), 0)  # type: ignore[no-any-return]


def signed(pattern: int, width: int) -> int:
    return pattern - (1 << width) if pattern >> (width - 1) else pattern


@pytest.mark.parametrize("type_", FORMATS)
def test_every_pattern_is_extended_to_its_number(type_: str) -> None:
    call = compiled(lowered("extf", type_, "f32").body.block.first_op)  # type: ignore[arg-type]
    width = element_bits(parse_type(type_))
    for pattern in range(1 << width):
        np.testing.assert_array_equal(call(signed(pattern, width)), [number(pattern, type_)], f"{type_} {pattern:#x}")


def samples(type_: str) -> list[float]:
    """All numbers of a format, what is between and beyond them, zeros, infinities and NaN."""
    patterns = range(1 << element_bits(parse_type(type_)))
    finite = sorted({x for x in (number(p, type_) for p in patterns) if math.isfinite(x)})
    between = [(a + b) / 2 for a, b in pairwise(finite)]
    near = [math.nextafter(x, sign * math.inf) for x in between for sign in (1, -1)]
    every = [*finite, *between, *near, finite[-1] * 1.2, -finite[-1] * 3, 0.0, -0.0, math.inf, -math.inf, math.nan]
    with np.errstate(over="ignore"):
        return [float(np.float32(x)) for x in every]


@pytest.mark.parametrize("type_", FORMATS)
def test_every_number_is_rounded_to_the_nearest_with_ties_to_even(type_: str) -> None:
    call = compiled(lowered("truncf", "f32", type_).body.block.first_op)  # type: ignore[arg-type]
    width = element_bits(parse_type(type_))
    for x in samples(type_):
        (found,) = call(x)
        expected = bits(x, type_) & (1 << width) - 1
        assert found & (1 << width) - 1 == expected, (type_, x)


@pytest.mark.parametrize("type_", ["f16", "bf16", "f8E4M3FN"])
def test_a_double_is_rounded_once(type_: str) -> None:
    half = 1 + 2.0 ** -{"f16": 11, "bf16": 8, "f8E4M3FN": 4}[type_]
    call = compiled(lowered("truncf", "f64", type_).body.block.first_op)  # type: ignore[arg-type]
    for x in (half, half + 2.0**-40, half - 2.0**-40):
        expected = codec(parse_type(type_))
        memory = bytearray(2)
        expected.write(memory, 0, x)
        (found,) = call(x)
        if type_ == "f8E4M3FN":
            assert found & 0xFF == memory[0]
        else:
            assert found == expected.read(memory, 0)


def test_ordinary_conversions_stay() -> None:
    module = lowered("extf", "f16", "f32")
    assert [op.name for op in module.walk()][2:] == ["arith.extf", "func.return"]


def test_lanes_of_a_vector_are_converted() -> None:
    call = compiled(lowered("truncf", "vector<3xf32>", "vector<3xf8E4M3FN>").body.block.first_op)  # type: ignore[arg-type]
    ((first, second, third),) = call([1.0, -2.0, 1e9])
    assert [lane & 0xFF for lane in (first, second, third)] == [0x38, 0xC0, 0x7F]
    assert IntegerType(8) == parse_type("i8")
