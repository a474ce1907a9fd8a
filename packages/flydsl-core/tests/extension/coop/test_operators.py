"""Operators of reductions and scans: types, identities, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.extension.coop.operators import operator_of, summed

Op = fx.ReductionOp


@pytest.mark.parametrize(
    ("dtype", "op", "expected"),
    [
        (fx.Int32, Op.ADD, 0),
        (fx.Float32, Op.MUL, 1.0),
        (fx.Int16, Op.MAX, -(1 << 15)),
        (fx.Int16, Op.MIN, (1 << 15) - 1),
        (fx.Uint8, Op.MAX, 0),
        (fx.Uint8, Op.MIN, 255),
        (fx.Float64, Op.MAX, float("-inf")),
        (fx.Float64, Op.MIN, float("inf")),
        (fx.Boolean, Op.MAX, False),
        (fx.Boolean, Op.MIN, True),
    ],
)
def test_an_operator_has_the_identity_of_the_type(dtype: Any, op: Any, expected: object) -> None:
    operator = operator_of(op, dtype(1))
    assert (operator.identity.dtype, operator.identity.value) == (dtype, expected)  # type: ignore[union-attr]
    assert operator.commutative
    assert operator_of(op, dtype(1), 0).identity.value == dtype(0).value  # type: ignore[union-attr]


@pytest.mark.parametrize(("op", "expected"), [(Op.ADD, 7), (Op.MUL, 12), (Op.MAX, 4), (Op.MIN, 3)])
@pytest.mark.parametrize("dtype", [fx.Int8, fx.Uint16, fx.Int64, fx.Float16, fx.Float32])
def test_numbers_combine_to_one_of_their_type(dtype: Any, op: Any, expected: int) -> None:
    result = operator_of(op, dtype(3)).combine(dtype(3), dtype(4))
    assert (result.dtype, result.value) == (dtype, expected)


def test_narrow_integers_wrap() -> None:
    assert operator_of(Op.ADD, fx.Uint8(0)).combine(fx.Uint8(200), fx.Uint8(100)).value == 44


def test_booleans_combine_by_or_and_and() -> None:
    true, false = fx.Boolean(True), fx.Boolean(False)
    found = [operator_of(op, true).combine(true, false).value for op in (Op.MAX, Op.MUL, Op.MIN)]
    assert found == [True, False, False]


def test_the_sum_of_booleans_is_a_number() -> None:
    with pytest.raises(FrontendError, match=r"is their number, which is no Boolean: convert with .to\(fx.Int32\)"):
        operator_of(Op.ADD, fx.Boolean(True))
    assert summed(Op.ADD, fx.Boolean(True)).dtype is fx.Int32
    assert summed(Op.MAX, fx.Boolean(True)).dtype is fx.Boolean
    assert summed(Op.ADD, fx.Int8(1)).dtype is fx.Int8


def test_a_function_may_say_that_it_commutes_and_what_its_identity_is() -> None:
    def plain(a: Any, b: Any) -> Any:
        return a * 2 + b

    operator = operator_of(plain, fx.Int32(0))
    assert (operator.identity, operator.commutative, operator.kind) == (None, False, None)
    assert operator.combine(fx.Int32(3), fx.Int32(4)).value == 10
    plain.identity, plain.commutative = 5, True  # type: ignore[attr-defined]
    operator = operator_of(plain, fx.Int32(0))
    assert (operator.identity.value, operator.commutative) == (5, True)  # type: ignore[union-attr]
    assert operator_of(plain, fx.Int32(0), 6).identity.value == 6  # type: ignore[union-attr]


def test_results_of_a_function_have_the_type_of_its_operands() -> None:
    operator = operator_of(lambda a, b: a + b * 1.0, fx.Int32(0))
    assert operator.combine(fx.Int32(3), fx.Int32(4)).dtype is fx.Int32


@pytest.mark.parametrize("op", ["add", None, int, 3], ids=repr)
def test_other_operators_are_refused(op: object) -> None:
    with pytest.raises(TypeError, match="op is fx.ReductionOp.ADD, MUL, MAX or MIN, or a function"):
        operator_of(op, fx.Int32(0))


def test_records_take_a_function() -> None:
    with pytest.raises(TypeError, match="pass a function of two values as op"):
        operator_of(Op.ADD, (fx.Int32(0), fx.Int32(1)))
