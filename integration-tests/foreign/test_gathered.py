"""Gathers into fragments, and loops without state: the numbers of NumPy on every target."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest

import flydsl.compiler as flyc


@pytest.mark.parametrize("width", [1, 2, 4])
def test_fragments_like_a_part_take_an_offset_a_call(
    corpus: Callable[[str], ModuleType], rng: np.random.Generator, width: int
) -> None:
    calls = 4 // width
    x, y = rng.standard_normal(211).astype(np.float32), np.zeros((16, 2), np.float32)
    places = (rng.integers(0, 200 // width, (4, calls * 2)) * width).astype(np.int32)
    corpus("gathered").gathered(width)(x, places, flyc.from_dlpack(y))
    expected = np.zeros_like(y)
    for t in range(4):
        for column in range(2):
            for value in range(4):
                call, k = divmod(value, width)
                expected[t + 4 * value, column] = x[places[t, call + calls * column] + k]
    np.testing.assert_array_equal(y, expected)


def test_a_loop_may_say_that_it_has_no_state(corpus: Callable[[str], ModuleType], rng: np.random.Generator) -> None:
    x, y = rng.standard_normal(31).astype(np.float32), np.zeros(1, np.float32)
    corpus("gathered").summed(x, y, 31)
    np.testing.assert_allclose(y, -x.astype(np.float64).sum(), rtol=1e-5)
