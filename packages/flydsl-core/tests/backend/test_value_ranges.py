"""Ranges and zero bits of values: every result that operands in their ranges can give lies within."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, i1, i8, i16, i32, i64
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation, Region, SSAValue

from flydsl.backend.value_ranges import _HANDLERS, Range, ValueRanges, constant_of
from flydsl.base.arithmetic import wrapped
from flydsl.passes.folding.arithmetic import _COMPUTE

NUMBERS = [-128, -100, -7, -1, 0, 1, 2, 5, 100, 127]
RANGES = [(low, high) for low, high in product(NUMBERS, NUMBERS) if low <= high]
NSW = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])


class Values:
    """Values of given ranges."""

    def __init__(self) -> None:
        self._ranges: dict[Operation, Range] = {}
        self.ranges = ValueRanges(self._ranges.get)

    def of(self, found: Range, type_: Any = i8) -> SSAValue:
        op = AnyOp(result_types=[type_])
        self._ranges[op] = found
        return op.results[0]

    @staticmethod
    def constant(value: int, type_: Any = i8) -> SSAValue:
        return arith.ConstantOp(IntegerAttr(value, type_)).result

    @staticmethod
    def made(op: Any, *operands: SSAValue, type_: Any = None, **properties: Any) -> Operation:
        return op.create(operands=operands, result_types=[type_ or operands[0].type], properties=properties)


@pytest.mark.parametrize("op", [op for op in _HANDLERS if op in _COMPUTE], ids=lambda op: op.name)
def test_a_range_holds_every_result(op: Any) -> None:
    narrowed = 0
    for a in RANGES[::3]:
        for b in [*RANGES[::5], *((n, n) for n in NUMBERS)]:
            values = Values()
            right = values.constant(b[0]) if b[0] == b[1] else values.of(b)
            low, high = values.ranges.of(values.made(op, values.of(a), right).results[0])
            narrowed += (low, high) != (-128, 127)
            for x, y in product((a[0], sum(a) // 2, a[1]), range(b[0], b[1] + 1, 3)):
                result = _COMPUTE[op](x, y, 8)
                assert result is None or low <= wrapped(result, 8) <= high, (a, b, x, y)
    assert narrowed > 20


@pytest.mark.parametrize(
    ("op", "to", "found", "expected"),
    [
        (arith.ExtSIOp, i16, (-5, 100), (-5, 100)),
        (arith.ExtUIOp, i16, (3, 100), (3, 100)),
        (arith.ExtUIOp, i16, (-1, 100), (0, 255)),
        (arith.TruncIOp, i8, (0, 100), (0, 100)),
        (arith.TruncIOp, i8, (0, 200), (-128, 127)),
    ],
)
def test_casts(op: Any, to: Any, found: Range, expected: Range) -> None:
    values = Values()
    source = values.of(found, i16 if op is arith.TruncIOp else i8)
    assert values.ranges.of(values.made(op, source, type_=to).results[0]) == expected


def test_a_choice_has_both_ranges_and_i1_is_no_number() -> None:
    values = Values()
    choice = values.made(
        arith.SelectOp, values.of((0, 1), i1), values.of((-3, 4)), values.of((9, 11)), type_=i8
    ).results[0]
    assert values.ranges.of(choice) == (-3, 11)
    truth = values.of((0, 1), i1)
    assert values.ranges.of(values.made(arith.AddiOp, truth, truth).results[0]) == (-1, 0)


@pytest.mark.parametrize(("step", "expected"), [(2, (0, 99)), (0, (-(1 << 31), (1 << 31) - 1))])
def test_the_counter_of_a_loop_is_below_its_bound(step: int, expected: Range) -> None:
    values, body = Values(), Block(arg_types=[i32])
    bounds = values.constant(0, i32), values.of((5, 100), i32), values.constant(step, i32)
    scf.ForOp(*bounds, [], Region(body))
    assert values.ranges.of(body.args[0]) == expected
    assert values.ranges.of(Block(arg_types=[i8]).args[0]) == (-128, 127)


def test_zero_bits() -> None:
    values = Values()
    odd, four = values.of((0, 9), i32), values.constant(4, i32)
    by_four = values.made(arith.MuliOp, odd, four).results[0]
    shifted = values.made(arith.ShLIOp, by_four, values.constant(3, i32)).results[0]
    masked = values.made(arith.AndIOp, odd, values.constant(0x70, i32)).results[0]
    total = values.made(arith.AddiOp, shifted, masked).results[0]
    wide = values.made(arith.ExtSIOp, total, type_=i64).results[0]
    found = [values.ranges.zero_bits(value) for value in (odd, four, by_four, shifted, masked, total, wide)]
    assert found == [0, 2, 2, 5, 4, 4, 4]
    assert values.ranges.zero_bits(values.constant(0, i32)) == 64
    assert constant_of(odd) is None


@pytest.mark.parametrize(
    ("a", "factor", "b", "bound", "exact"),
    [
        ((0, 5), 1, (0, 9), 1 << 64, True),
        ((0, 100), 1, (0, 100), 1 << 64, False),
        ((-128, 127), 64, (0, 63), 1 << 64, True),  # no bit carries
        ((-128, 127), 64, (0, 64), 1 << 64, False),
        ((0, 127), 1, (0, 9), 100, True),  # what wraps is below -100
        ((0, 127), 1, (0, 99), 100, False),
        ((-128, 0), 1, (-9, 0), 100, True),
        ((-128, 0), 1, (-99, 0), 100, False),
    ],
)
def test_sums_that_are_exact(a: Range, factor: int, b: Range, bound: int, exact: bool) -> None:
    values = Values()
    first = values.of(a)
    if factor != 1:
        first = values.made(arith.MuliOp, first, values.constant(factor)).results[0]
    assert values.ranges.adds_exactly(values.made(arith.AddiOp, first, values.of(b)), bound) is exact


def test_flags_make_sums_and_products_exact() -> None:
    values = Values()
    a, b = values.of((-128, 127)), values.of((-128, 127))
    assert values.ranges.adds_exactly(values.made(arith.AddiOp, a, b, overflowFlags=NSW), 1 << 64)
    assert values.ranges.multiplies_exactly(values.made(arith.MuliOp, a, b, overflowFlags=NSW))
    assert not values.ranges.multiplies_exactly(values.made(arith.MuliOp, a, b))
    assert values.ranges.multiplies_exactly(values.made(arith.MuliOp, values.of((0, 9)), values.of((-3, 3))))


def test_long_sums_are_given_up() -> None:
    values = Values()
    total = values.of((0, 0), i64)
    for _ in range(1000):
        total = values.made(arith.AddiOp, total, values.of((0, 1), i64)).results[0]
    assert values.ranges.of(total) == (-(1 << 63), (1 << 63) - 1)
    assert values.ranges.zero_bits(total) == 0
