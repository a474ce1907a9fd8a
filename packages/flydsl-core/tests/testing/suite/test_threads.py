"""What threads have to give, worked out by Python."""

from __future__ import annotations

import numpy as np

from flydsl.testing.suite.threads import _exchanged, _looped, _overwritten


def test_the_last_store_counts() -> None:
    assert _overwritten(3) == [-1, 2, -9, 3, 0, 1, 102, 3]
    assert _overwritten(4) == [4, 8, -9, -9, 4, 1, 102, 3]


def test_loops_are_those_of_python_and_wrap() -> None:
    assert _looped(1) == [0, 0, 1, 0]
    assert _looped(6)[:2] == [8, 3]
    assert all(-(1 << 31) <= value < 1 << 31 for value in _looped(64))


def test_lanes_outside_of_a_group_have_their_own_number() -> None:
    x = np.arange(8)
    assert _exchanged(x, 4, lambda lane: lane - 1).tolist() == [0, 0, 1, 2, 4, 4, 5, 6]
    assert _exchanged(x, 4, lambda lane: lane ^ 5).tolist() == list(range(8))
    assert _exchanged(x, 8, lambda lane: 3).tolist() == [3] * 8
