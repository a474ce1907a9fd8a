"""Locations on operations, as MLIR's attributes and back."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import UNKNOWN_LOC, IntegerAttr, i32

from flydsl.base.location import Location
from flydsl.ir.location import from_attribute, get_location, located_error, set_location, to_attribute
from flydsl.ir.parse import parse_module


def test_location_of_an_operation_reads_back() -> None:
    op = arith.ConstantOp(IntegerAttr(1, i32))
    assert get_location(op) is None
    set_location(op, Location("k.py", 7, 4))
    assert get_location(op) == Location("k.py", 7, 4)
    set_location(op, None)
    assert op.location == UNKNOWN_LOC


def test_columns_count_from_one_in_the_attribute() -> None:
    assert str(to_attribute(Location("k.py", 7, 4))) == 'loc("k.py":7:5)'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("unknown", None),
        ('"k.py":7:5', Location("k.py", 7, 4)),
        ('"name"("k.py":7:5)', Location("k.py", 7, 4)),
        ('callsite("a.py":1:1 at "b.py":2:2)', Location("a.py", 1, 0)),
        ('callsite(unknown at "b.py":2:2)', Location("b.py", 2, 1)),
        ('fused[unknown, "c.py":3:3]', Location("c.py", 3, 2)),
        ('"name only"', None),
    ],
)
def test_nested_location_is_that_of_its_first_file(text: str, expected: Location | None) -> None:
    module = parse_module(f'%0 = "arith.constant"() <{{value = 1 : i32}}> : () -> i32 loc({text})')
    assert from_attribute(module.body.ops.first.location) == expected


def test_a_located_error_shows_its_place_once() -> None:
    error = located_error("no such thing", Location("k.py", 7, 4))
    assert error.location == Location("k.py", 7, 4)
    assert str(error) == "no such thing\n  --> k.py:7:5"
    assert str(error.diagnostic) == "k.py:7:5: error: no such thing"
    assert str(located_error("no such thing", None)) == "no such thing"
