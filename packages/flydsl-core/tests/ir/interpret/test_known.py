"""Leaves of layouts that carry their number: the arithmetic is that of the emitted code."""

from __future__ import annotations

import pickle

import pytest

from flydsl.base.errors import OutOfBoundsError, UninitializedReadError
from flydsl.ir.interpret.known import known, maker, number
from flydsl.ir.interpret.poison import POISON
from flydsl.layout import Basis, Dyn, Layout


def test_equal_leaves_are_one_object_and_survive_pickling() -> None:
    leaf = known(5, 64, 2)
    assert leaf is known(5, 64, 2)
    assert leaf is not known(5, 32, 2)
    assert pickle.loads(pickle.dumps(leaf)) is leaf
    assert (int(leaf), repr(leaf), [0] * 6) == (5, "5", [0] * 6)


def test_an_index_is_computed_as_for_a_dynamic_layout() -> None:
    layout = Layout((4, known(8)), (known(3), known(100)))
    assert int(layout((2, 5))) == 506  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "a", "b", "expected"),
    [
        ("div", 7, 0, -1),
        ("mod", 7, 0, 7),
        ("div", -7, 2, -3),
        ("mod", -7, 2, -1),
        ("ceil_div", 7, 2, 4),
        ("min", 3, 5, 3),
        ("xor", 6, 3, 5),
    ],
)
def test_division_is_total(op: str, a: int, b: int, expected: int) -> None:
    assert int(known(a).make(op, a, b, 32, 1)) == expected  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("op", "a", "b"), [("add", (1 << 31) - 1, 1), ("mul", 1 << 16, 1 << 15), ("sub", -2, (1 << 31) - 1)]
)
def test_what_leaves_the_width_of_its_leaves_is_an_error(op: str, a: int, b: int) -> None:
    with pytest.raises(OutOfBoundsError, match=r"computes -?2147483\d+ for a layout whose leaves have 32 bits"):
        known(a).make(op, a, b, 32, 1)
    known(a, 64).make(op, a, b, 64, 1)


def test_leaves_are_made_of_defined_numbers_only() -> None:
    make = maker(Dyn(64, 4))
    assert (make(8).width, make(8).div, int(make(8))) == (64, 4, 8)
    with pytest.raises(UninitializedReadError, match="a coordinate or a size is decided"):
        make(POISON)


def test_the_number_of_a_leaf() -> None:
    assert [number(leaf) for leaf in (known(3), 4, Basis(known(5), (0,)))] == [3, 4, 5]
