"""Folding of one operation: constants as MLIR folds them, and identities."""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, f32, i1, i8, i32, i64
from xdsl.dialects.test import TestOp as AnyOp

from flydsl.base.arithmetic import wrapped
from flydsl.ir.interpret import run
from flydsl.passes.folding.arithmetic import _COMPUTE, fold, width_of


def folded(op_class: Any, type_: Any, *numbers: int | None, result: Any = None, **properties: Any) -> Any:
    """What the operation folds to; None among the numbers stands for an unknown operand: its position is the answer."""
    values = [AnyOp(result_types=[type_]).results[0] for _ in numbers]
    op = op_class.create(operands=values, result_types=[result or type_], properties=properties)
    known = dict(zip(values, numbers, strict=True))
    answer = fold(op, tuple(values), known.get)
    return f"operand {values.index(answer)}" if answer in values else answer


def test_widths_of_integers_and_of_nothing_else() -> None:
    assert [width_of(type_) for type_ in (i1, i8, i64, IndexType(), f32)] == [1, 8, 64, 64, 0]


@pytest.mark.parametrize(
    ("value", "width", "expected"), [(128, 8, -128), (-129, 8, 127), (255, 8, -1), (3, 1, 1), (-1, 1, 1), (5, 64, 5)]
)
def test_numbers_wrap_to_their_width(value: int, width: int, expected: int) -> None:
    assert wrapped(value, width) == expected


NUMBERS = [-128, -7, -1, 0, 1, 2, 5, 127]


@pytest.mark.parametrize("op_class", list(_COMPUTE), ids=lambda op_class: op_class.name)
def test_constants_fold_to_what_the_interpreter_computes(op_class: Any) -> None:
    from xdsl.dialects.func import FuncOp, ReturnOp
    from xdsl.ir import Block, Region

    block = Block(arg_types=[i8, i8])
    op = op_class.create(operands=block.args, result_types=[i8])
    block.add_ops([op, ReturnOp(op.results[0])])
    program = FuncOp("f", ([i8, i8], [i8]), Region(block))
    count = 0
    for a in NUMBERS:
        for b in NUMBERS:
            answer = folded(op_class, i8, a, b)
            if answer is not None:
                count += 1
                assert run(program, [a, b]) == [answer]
    assert count >= 30


@pytest.mark.parametrize(
    "op_class", [arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp, arith.RemUIOp]
)
def test_a_division_by_zero_is_not_folded(op_class: Any) -> None:
    assert folded(op_class, i32, 5, 0) is None


@pytest.mark.parametrize("op_class", [arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp])
@pytest.mark.parametrize("count", [32, -1])
def test_a_shift_by_the_width_or_more_is_not_folded(op_class: Any, count: int) -> None:
    assert folded(op_class, i32, 5, count) is None


@pytest.mark.parametrize(
    ("op_class", "type_", "numbers", "expected"),
    [
        (arith.AddiOp, i32, (None, 0), "operand 0"),
        (arith.AddiOp, i32, (0, None), "operand 1"),
        (arith.SubiOp, i32, (None, 0), "operand 0"),
        (arith.SubiOp, i32, (0, None), None),
        (arith.MuliOp, i32, (None, 1), "operand 0"),
        (arith.MuliOp, i32, (0, None), 0),
        (arith.DivSIOp, i32, (None, 1), "operand 0"),
        (arith.DivSIOp, i32, (1, None), None),
        (arith.RemSIOp, i32, (None, 1), 0),
        (arith.AndIOp, i32, (None, -1), "operand 0"),
        (arith.AndIOp, i32, (None, 1), None),
        (arith.AndIOp, i1, (None, 1), "operand 0"),
        (arith.OrIOp, i1, (0, None), "operand 1"),
        (arith.ShLIOp, i32, (0, None), 0),
        (arith.ShRSIOp, i32, (None, 0), "operand 0"),
        (arith.MinSIOp, i32, (None, None), None),
    ],
)
def test_identities_of_one_known_operand(op_class: Any, type_: Any, numbers: Any, expected: Any) -> None:
    assert folded(op_class, type_, *numbers) == expected


@pytest.mark.parametrize(
    ("op_class", "expected"), [(arith.SubiOp, 0), (arith.XOrIOp, 0), (arith.AndIOp, "x"), (arith.AddiOp, None)]
)
def test_equal_operands(op_class: Any, expected: Any) -> None:
    (value,) = AnyOp(result_types=[i32]).results
    op = op_class.create(operands=[value, value], result_types=[i32])
    answer = fold(op, (value, value), lambda _: None)
    assert answer is value if expected == "x" else answer == expected


PREDICATES = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"]


@pytest.mark.parametrize(
    ("type_", "a", "b", "true"),
    [
        (i32, -1, 1, {"ne", "slt", "sle", "ugt", "uge"}),
        (i32, 4, 4, {"eq", "sle", "sge", "ule", "uge"}),
        (i1, 1, 0, {"ne", "slt", "sle", "ugt", "uge"}),
    ],
)
def test_comparisons_with_and_without_sign(type_: IntegerType, a: int, b: int, true: set[str]) -> None:
    answers = {
        name
        for number, name in enumerate(PREDICATES)
        if folded(arith.CmpiOp, type_, a, b, result=i1, predicate=IntegerAttr(number, i64))
    }
    assert answers == true


@pytest.mark.parametrize(
    ("op_class", "source", "target", "value", "expected"),
    [
        (arith.ExtSIOp, i8, i32, -3, -3),
        (arith.ExtUIOp, i8, i32, -3, 253),
        (arith.ExtSIOp, i1, i32, 1, -1),
        (arith.ExtUIOp, i1, i32, 1, 1),
        (arith.TruncIOp, i32, i8, 300, 44),
        (arith.IndexCastOp, i1, IndexType(), 1, -1),
    ],
)
def test_casts_of_constants(op_class: Any, source: Any, target: Any, value: int, expected: int) -> None:
    assert folded(op_class, source, value, result=target) == expected


def test_a_cast_there_and_back_is_the_number_itself() -> None:
    (value,) = AnyOp(result_types=[i32]).results
    wide = arith.ExtSIOp(value, i64)
    back = arith.TruncIOp(wide.result, i32)
    assert fold(back, (wide.result,), lambda _: None) is value
    narrow = arith.TruncIOp(value, i8)
    again = arith.IndexCastOp(narrow.result, IndexType())
    assert fold(again, (narrow.result,), lambda _: None) is None


@pytest.mark.parametrize(
    ("condition", "a", "b", "expected"), [(1, None, 7, "operand 1"), (0, None, 7, 7), (None, 3, 4, None)]
)
def test_a_decided_choice_is_what_it_chooses(condition: Any, a: Any, b: Any, expected: Any) -> None:
    (decided,) = AnyOp(result_types=[i1]).results
    values = AnyOp(result_types=[i32, i32]).results
    op = arith.SelectOp.create(operands=[decided, *values], result_types=[i32])
    known = {decided: condition, values[0]: a, values[1]: b}
    answer = fold(op, (decided, *values), known.get)
    assert (f"operand {[decided, *values].index(answer)}" if answer in values else answer) == expected


def test_floats_are_not_folded() -> None:
    assert folded(arith.AddfOp, f32, 1, 2) is None
