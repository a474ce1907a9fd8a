"""The first whole slice: a predicated, vectorised add on odd sizes and strides, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from support.kernels import add_by_fours, add_by_ones, scale


def random(shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape, dtype=np.float32)


@pytest.mark.parametrize("shape", [(100, 1000), (1, 4), (8, 64), (9, 68), (17, 400), (3, 1028)])
def test_adding_by_fours_equals_numpy_on_border_tiles(shape):
    a, b, c = random(shape), random(shape), np.full(shape, 7, np.float32)
    add_by_fours(a, b, c)
    np.testing.assert_array_equal(c, a + b)


@pytest.mark.parametrize("shape", [(1, 1), (7, 63), (13, 101), (100, 999), (65, 1)])
def test_adding_by_ones_equals_numpy_on_odd_shapes(shape):
    a, b, c = random(shape), random(shape), np.zeros(shape, np.float32)
    add_by_ones(a, b, c)
    np.testing.assert_array_equal(c, a + b)


def test_non_contiguous_transposed_and_reversed_tensors_are_read_through_their_strides():
    base = random((60, 90))
    a, b = base[5:50:3, 2:80:2], random((39, 15)).T
    c = np.zeros((30, 78), np.float32)[::2, ::2]
    reversed_rows = a[::-1]
    add_by_ones(reversed_rows, b, c)
    np.testing.assert_array_equal(c, reversed_rows + b)


def test_a_slice_that_starts_at_any_element_is_added_by_fours():
    storage = random((20, 1028))
    a, b, c = storage[:, 1:1001], storage[:, 3:1003], np.zeros((20, 1000), np.float32)
    add_by_fours(a, b, c)
    np.testing.assert_array_equal(c, a + b)


def test_nothing_outside_of_the_output_is_written():
    shape, frame = (13, 68), np.full((15, 72), np.float32(-3))
    a, b = random(shape), random(shape)
    add_by_fours(a, b, frame[1:14, 2:70])
    expected = np.full((15, 72), np.float32(-3))
    expected[1:14, 2:70] = a + b
    np.testing.assert_array_equal(frame, expected)


def test_one_function_serves_every_shape_with_one_compilation():
    test_adding_by_ones_equals_numpy_on_odd_shapes((2, 5))
    loaded = add_by_ones._code.loads
    for rows in (1, 2, 3, 50):
        test_adding_by_ones_equals_numpy_on_odd_shapes((rows, 5))
    assert add_by_ones._code.loads == loaded


def test_scalars_are_passed_at_run_time():
    x = random((1001,))
    for factor in (2.0, -0.5, 3):
        y = np.zeros_like(x)
        scale(x, y, factor, 1001)
        np.testing.assert_array_equal(y, x * np.float32(factor))


def test_keyword_arguments_and_defaults_reach_the_same_code():
    a, b, c = random((8, 64)), random((8, 64)), np.zeros((8, 64), np.float32)
    add_by_fours(c=c, a=a, b=b, stream=None)
    np.testing.assert_array_equal(c, a + b)


def test_empty_tensors_launch_nothing():
    a, b, frame = random((4, 8)), random((4, 8)), np.full((4, 8), np.float32(-3))
    add_by_ones(a[2:2], b[2:2], frame[2:2])
    np.testing.assert_array_equal(frame, np.full((4, 8), np.float32(-3)))
    add_by_ones(a[2:3], b[2:3], frame[2:3])
    np.testing.assert_array_equal(frame[2], a[2] + b[2])
