"""Integers to narrow floats: the lowered arithmetic rounds once, as the interpreter does."""

from __future__ import annotations

import math

import pytest
from expressions import compiled
from toy_target import SPACES, ConvertFlyTo
from xdsl.dialects.builtin import ModuleOp

from flydsl.backend.conversion.target import LoweringTarget
from flydsl.base.arithmetic import rounding, wrapped
from flydsl.ir.context import create_context
from flydsl.ir.interpret.numbers import codec
from flydsl.ir.parse import parse_module, parse_type


def lowered(operation: str, source: str, target: str) -> ModuleOp:
    converted = f"%y = arith.{operation} %x : {source} to {target}"
    module = parse_module(f"func.func @f(%x: {source}) -> {target} {{ {converted} return %y : {target} }}")
    ConvertFlyTo(LoweringTarget("toy", SPACES)).apply(create_context(), module)
    return module


def samples(width: int, is_signed: bool) -> list[int]:
    """Ties of bf16 and of powers of two, their neighbours, and the extremes."""
    found = {0, 1, -1, 2, 3, 448, -465, -(1 << (width - 1)), (1 << (width - 1)) - 1, (1 << width) - 1}
    for power in range(9, width):
        tie = (1 << power) + (1 << (power - 8))
        found |= {sign * (number + offset) for sign in (1, -1) for number in (tie, 3 << power) for offset in (-1, 0, 1)}
    return sorted({wrapped(number, width, signed=is_signed) for number in found})


@pytest.mark.parametrize("target", ["bf16", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f6E2M3FN", "f4E2M1FN"])
@pytest.mark.parametrize("width", [1, 8, 32, 64, 128])
@pytest.mark.parametrize("operation", ["sitofp", "uitofp"])
def test_integers_are_rounded_once(operation: str, width: int, target: str) -> None:
    is_signed = operation == "sitofp" and width > 1
    if operation == "sitofp" and width == 1:
        operation = "uitofp"  # a single bit has no sign
    call = compiled(lowered(operation, f"i{width}", target).body.block.first_op)  # type: ignore[arg-type]
    form = codec(parse_type(target))
    for number in samples(width, is_signed) if width > 1 else [0, 1]:
        expected, found = bytearray(form.size), bytearray(form.size)
        nearest = rounding(target)(number)
        if nearest != nearest:  # its sign says nothing
            nearest = math.copysign(nearest, number)
        form.write(expected, 0, nearest)
        (result,) = call(wrapped(number, width))
        if target == "bf16":
            form.write(found, 0, result)
        else:
            found[0] = result & 0xFF >> (8 - parse_type(target).bitwidth)
        assert found == expected, number


def test_what_llvm_rounds_once_is_left_to_it() -> None:
    assert "ctlz" not in str(lowered("sitofp", "i64", "f16"))
