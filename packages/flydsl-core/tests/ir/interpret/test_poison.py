"""Undefined values spread, and whoever decides by one gets the reason."""

from __future__ import annotations

import operator

import pytest

from flydsl.base.errors import UninitializedReadError
from flydsl.ir.interpret.poison import POISON, Poison, defined, poison_of

OPERATORS = [
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.and_),
    *(operator.or_, operator.xor, operator.lshift, operator.rshift, operator.lt, operator.ge, operator.eq, operator.ne),
]


@pytest.mark.parametrize("operation", OPERATORS)
def test_arithmetic_with_an_undefined_value_is_undefined(operation: object) -> None:
    value = Poison("why")
    assert operation(value, 3) is value  # type: ignore[operator]
    if operation not in (operator.lt, operator.ge):
        assert operation(3, value) is value  # type: ignore[operator]
    assert -value is value
    assert abs(value) is value


def test_deciding_by_one_is_an_error_with_its_reason() -> None:
    with pytest.raises(UninitializedReadError, match="^decides about a branch by a value that is not defined: why$"):
        bool(Poison("why") == 3)


def test_one_is_found_inside_of_vectors() -> None:
    value = Poison("why")
    assert poison_of(1, [2, [3, value]]) is value
    assert poison_of(1, [2]) is None


def test_a_use_of_a_defined_value_gives_it() -> None:
    assert defined([1, 2], "a size is decided") == [1, 2]
    with pytest.raises(UninitializedReadError, match="a size is decided by a value that is not defined: an undefined"):
        defined(POISON, "a size is decided")
