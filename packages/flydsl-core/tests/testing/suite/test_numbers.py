"""How results are compared: bit for bit but for NaN, and told with the operands."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.testing.suite.numbers import check_numbers

OPERANDS = np.array([[1.0, -0.0, 2.0], [3.0, 0.0, 4.0]])


def test_equal_numbers_pass() -> None:
    for values in ([1.0, -0.0, np.nan], [np.inf, 0.0, 5.0]):
        check_numbers("f", np.array(values), np.array(values), OPERANDS)
    check_numbers("f", np.array([1, 2, 3]), np.array([1, 2, 3]), OPERANDS)


def test_what_differs_is_told_with_its_operands() -> None:
    with pytest.raises(AssertionError, match=r"f of \(2.0, 4.0\) is .*7.0.*, not .*6.0"):
        check_numbers("f", np.array([1.0, 0.0, 7.0]), np.array([1.0, 0.0, 6.0]), OPERANDS)
    with pytest.raises(AssertionError, match="and 1 more are wrong"):
        check_numbers("f", np.array([1, 2, 3]), np.array([0, 2, 0]), OPERANDS)


def test_the_sign_of_zero_counts_but_where_both_operands_are_zeros() -> None:
    found, right = np.array([5.0, 0.0, 1.0]), np.array([5.0, -0.0, 1.0])
    with pytest.raises(AssertionError):
        check_numbers("f", found, right, OPERANDS)
    check_numbers("f", found, right, OPERANDS, either_zero=True)
    with pytest.raises(AssertionError):
        check_numbers("f", np.array([0.0, 1, 1]), np.array([-0.0, 1, 1]), OPERANDS, either_zero=True)
