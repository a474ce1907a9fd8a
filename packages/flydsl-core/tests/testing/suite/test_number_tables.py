"""What operations have to give, and operands at which none is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.testing.suite.number_tables import (
    FLOATS,
    THREADS,
    expected,
    float_operands,
    integer_operands,
    integers,
    padded,
)


@pytest.mark.parametrize("element", ["int8", "uint8", "int32", "uint64"])
def test_divisions_and_shifts_of_operands_are_defined(element: str) -> None:
    info = np.iinfo(element)
    a, _, divisor, places = (column.tolist() for column in integer_operands(element))
    assert all(info.min <= x // y <= info.max for x, y in zip(a, divisor, strict=True))
    assert set(places) == set(range(info.bits))
    assert {info.min, info.max, 0} <= set(a)


@pytest.mark.parametrize("element", ["int8", "uint16", "int64"])
def test_integers_are_those_of_numpy_where_it_wraps(element: str) -> None:
    operands = integer_operands(element)
    a, b, *_ = operands
    by_name = {row.name: values for row, values in zip(
        integers(np.iinfo(element).bits), expected(integers(np.iinfo(element).bits), operands), strict=True
    )}  # fmt: skip
    with np.errstate(all="ignore"):
        for name, right in {"+": a + b, "*": a * b, "-a": -a, "<": a < b, "max(a, b)": np.maximum(a, b)}.items():
            np.testing.assert_array_equal(by_name[name], right)


def test_special_floats_are_among_the_operands_and_results() -> None:
    operands = float_operands("float16")
    results = expected(FLOATS, operands)
    for values in (operands[:2], results):
        assert np.isnan(values).any()
        assert np.isinf(values).any()
        assert (np.signbit(values) & (values == 0)).any()
    assert results.shape == (len(FLOATS), operands.shape[1])


def test_operands_fill_whole_blocks() -> None:
    assert padded(np.ones((4, THREADS + 1))).shape == (4, 2 * THREADS)
    assert padded(np.ones((4, THREADS))).shape == (4, THREADS)
