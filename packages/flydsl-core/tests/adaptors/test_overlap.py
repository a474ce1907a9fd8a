"""Layouts whose coordinates share elements, against counting all indices."""

from __future__ import annotations

import itertools
import random

import pytest

from flydsl.adaptors.overlap import is_overlapping


def counted(shape, strides):
    indices = [sum(map(int.__mul__, where, strides)) for where in itertools.product(*map(range, shape))]
    return len(set(indices)) < len(indices)


def test_layouts_are_as_counted():
    draw, found = random.Random(5), set()
    for _ in range(4000):
        rank = draw.randint(0, 4)
        shape = [draw.choice([0, 1, 2, 3, 4, 5]) for _ in range(rank)]
        strides = [draw.choice([0, 1, 2, 3, 4, 5, 6, 12, 20, -1, -3, -7]) for _ in range(rank)]
        assert is_overlapping(shape, strides) == counted(shape, strides), (shape, strides)
        found.add(counted(shape, strides))
    assert found == {True, False}


@pytest.mark.parametrize("shape, strides, expected", [
    ((1 << 20, 1 << 20), (1 << 20, 1), False),
    ((1 << 20, 4), (1, 1), True),
    ((1 << 20, 4), (2, 1), True),
    ((1 << 20, 4), (-1, 1 << 20), False),
    ((3, 2), (2, 3), False),
    ((1000,) * 6, (1009, 1013, 1019, 1021, 1031, 1033), True),
])  # fmt: skip
def test_large_layouts_take_no_time(shape, strides, expected):
    assert is_overlapping(shape, strides) is expected
