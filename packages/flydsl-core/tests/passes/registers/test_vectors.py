"""Parts of register vectors: what is split is joined again, bit for bit."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import VectorType, f32, i32
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from flydsl.ir.interpret import run
from flydsl.passes.registers.vectors import count_of, joined, split


def vector(count: int, element: Attribute = i32) -> Attribute:
    return VectorType(element, [count])


def taken_apart(type_: Attribute, parts: list[Attribute], value: object) -> list[object]:
    """The parts of a value, by the interpreter."""
    block = Block(arg_types=[type_])
    end = ReturnOp()
    block.add_op(end)
    values = split(block.args[0], parts, i32, end)
    end.operands = values
    assert [part.type for part in values] == parts
    program = FuncOp("f", ([type_], parts), Region(block))
    program.verify()
    return run(program, [value])


def put_together(parts: list[Attribute], type_: Attribute, values: list[object]) -> object:
    block = Block(arg_types=parts)
    end = ReturnOp()
    block.add_op(end)
    end.operands = [joined(block.args, i32, type_, end)]
    program = FuncOp("f", (parts, [type_]), Region(block))
    program.verify()
    return run(program, values)[0]


CASES = [
    (vector(4), [vector(4)], [1, 2, 3, 4], [[1, 2, 3, 4]]),
    (vector(4), [vector(2), i32, i32], [1, 2, 3, 4], [[1, 2], 3, 4]),
    (vector(3), [i32, i32, i32], [1, 2, 3], [1, 2, 3]),
    (vector(5), [i32, vector(4)], [1, 2, 3, 4, 5], [1, [2, 3, 4, 5]]),
    (i32, [i32], 7, [7]),
    (vector(1), [i32], [7], [7]),
]


@pytest.mark.parametrize(("type_", "parts", "value", "values"), CASES)
def test_a_value_is_split_into_parts(
    type_: Attribute, parts: list[Attribute], value: object, values: list[object]
) -> None:
    assert taken_apart(type_, parts, value) == values


@pytest.mark.parametrize(("type_", "parts", "value", "values"), CASES)
def test_parts_are_joined_to_the_value(
    type_: Attribute, parts: list[Attribute], value: object, values: list[object]
) -> None:
    assert put_together(parts, type_, values) == value


def test_shape_and_element_of_equal_width_are_cast() -> None:
    wide = VectorType(f32, [2, 2])
    assert put_together([vector(2), vector(2)], wide, [[0x3F800000, 0], [0, 0x40000000]]) == [1.0, 0.0, 0.0, 2.0]
    assert taken_apart(wide, [vector(3), i32], [1.0, 0.0, 0.0, 2.0]) == [[0x3F800000, 0, 0], 0x40000000]


def test_a_scalar_counts_as_one() -> None:
    assert [count_of(type_) for type_ in (i32, vector(6), VectorType(i32, [2, 3]))] == [1, 6, 6]
