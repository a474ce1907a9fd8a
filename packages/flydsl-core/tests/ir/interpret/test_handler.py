"""Handlers of element-wise operations."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import VectorType, i32
from xdsl.ir import Block

from flydsl.ir.interpret.handler import each, guarded, scalar_type
from flydsl.ir.interpret.poison import Poison


def action(type_: object) -> object:
    block = Block(arg_types=[type_, type_])  # type: ignore[list-item]
    op = arith.AddiOp.create(operands=block.args, result_types=[type_])  # type: ignore[list-item]
    return each(lambda op: lambda a, b: a + b)(op)


def test_one_function_serves_scalars_and_vectors() -> None:
    assert action(i32)(None, 1, 2) == 3  # type: ignore[operator]
    assert action(VectorType(i32, [2]))(None, [1, 2], [10, 20]) == [11, 22]  # type: ignore[operator]


def test_a_function_that_cannot_take_an_undefined_value_gives_it() -> None:
    value = Poison("why")
    assert guarded(hex)(value) is value
    assert guarded(lambda a, b: hex(b))(1, value) is value
    with pytest.raises(TypeError):
        guarded(hex)("text")


def test_the_scalar_of_a_type() -> None:
    assert scalar_type(VectorType(i32, [2])) == scalar_type(i32) == i32
