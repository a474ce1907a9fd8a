"""Digits of an index: exact in every system of strides, and refused where they cannot be had."""

from __future__ import annotations

import pytest

from flydsl.base.errors import LayoutError
from flydsl.layout import Dyn, digits


def test_digits_of_a_mixed_radix_are_quotients_and_remainders() -> None:
    assert digits.digits(23, [3, 16], [1, 3]) == [2, 7]
    assert [str(digit) for digit in digits.digits(Dyn(), [3, 16], [1, 3])] == ["?", "?"]


def test_where_a_smaller_stride_must_give_way_the_search_goes_back() -> None:
    assert digits.digits(6, [2, 3], [4, 3]) == [0, 2]
    assert digits.digits(7, [2, 3, 2], [4, 3, 1]) in ([1, 1, 0], [0, 2, 1])


def test_an_index_out_of_reach_has_quotients() -> None:
    assert digits.digits(8, [8], [1]) == [0]
    assert digits.digits(17, [3], [8]) == [2]
    assert digits.digits(17, [2, 8, 4], [1, 2, 50]) == [1, 0, 0]


def test_where_there_is_no_quotient_there_are_no_digits() -> None:
    assert digits.digits(-3, [4], [-2]) == []
    assert digits.digits(-1, [8], [1]) == []
    assert digits.digits(0, [0, 4], [4, 1]) == []


def test_a_search_that_would_not_end_is_given_up() -> None:
    strides = [(1 << 40) + 2 * number for number in range(60)]
    with pytest.raises(LayoutError, match="interleave too much"):
        digits.digits(sum(strides[::2]) + 1, [2] * 60, strides)


def test_an_index_of_run_time_is_taken_apart_from_the_largest_stride_down() -> None:
    found = digits.digits(Dyn(32, 4), [4, 8], [9, 1])
    assert [str(digit) for digit in found] == ["?", "?"]


def test_strides_that_interleave_need_a_known_index() -> None:
    with pytest.raises(LayoutError, match="interleave"):
        digits.digits(Dyn(), [2, 3], [4, 3])
