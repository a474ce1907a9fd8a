"""Kernels that carry raw values and call @flyc.jit helpers: the numbers of NumPy on every target."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest


@pytest.fixture
def carried(corpus: Callable[[str], ModuleType]) -> ModuleType:
    return corpus("carried")


def test_addresses_live_across_branches(carried: ModuleType) -> None:
    x, y = np.arange(7, 13, dtype=np.int32), np.zeros(6, np.int32)
    carried.addresses(x, y)
    assert y.tolist() == [8, 0, 8, 0, 8, 0]
    assert x.tolist() == [7, 8, 9, 10, 11, 40]


def test_ssa_values_are_states_conditions_and_variables(carried: ModuleType, rng: np.random.Generator) -> None:
    x, y = rng.standard_normal(37).astype(np.float32), np.zeros((2, 2), np.float32)
    carried.sums(x, y, 37)
    np.testing.assert_allclose(y[:, 0], x.astype(np.float64).sum(), rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(y[:, 1], x.min())


@pytest.mark.parametrize("parts", [1, 3])
def test_jit_functions_are_helpers_that_return(carried: ModuleType, rng: np.random.Generator, parts: int) -> None:
    x, y = rng.standard_normal(3).astype(np.float32), np.zeros((7, 3), np.float32)
    carried.tiled(parts)(x, y)
    places = np.arange(7)
    np.testing.assert_array_equal(y[:, 0], places // parts)
    np.testing.assert_array_equal(y[:, 1], places % parts)
    np.testing.assert_allclose(y[:, 2], x.astype(np.float64).sum(), rtol=1e-5)


@pytest.mark.parametrize("k", [0, 4])
def test_elements_at_indices_of_run_time(carried: ModuleType, rng: np.random.Generator, k: int) -> None:
    x, y = rng.standard_normal(5).astype(np.float32), np.zeros(8, np.float32)
    carried.chosen(x, y, k)
    np.testing.assert_array_equal(y[:5], x)
    np.testing.assert_array_equal(y[5:], [x[k] + x[(k + 1) % 5], x.min(), x.max()])
    x[2] = np.nan
    carried.chosen(x, y, k)
    np.testing.assert_array_equal(y[6:], [np.nan, np.nanmax(x)])


def test_loops_and_branches_are_built_by_hand(carried: ModuleType, rng: np.random.Generator) -> None:
    x, y = rng.standard_normal(7).astype(np.float32), np.zeros((7, 2), np.float32)
    carried.built(x, y)
    signs = np.where(np.arange(7) % 2, -1, 1)
    np.testing.assert_allclose(y[:, 0], signs * x.astype(np.float64).cumsum(), rtol=1e-5, atol=1e-6)
    assert y[:, 1].tolist() == [0, 0, 0, 5, 0, 0, 0]


def test_loops_with_a_test_are_built_by_hand(carried: ModuleType) -> None:
    x, y = np.array([1, 6, 7, 27, 2, 97], np.int32), np.zeros(6, np.int32)
    carried.counted(x, y)
    assert y.tolist() == [0, 8, 16, 111, 1, 118]


@pytest.mark.parametrize("third", [3, -3])
def test_addresses_of_ssa_values(carried: ModuleType, third: int) -> None:
    x, y = np.array([5, 7, third, 0], np.float32), np.zeros(3, np.float32)
    carried.raw_addresses(x, y)
    assert y.tolist() == [*([5, 7] if third > 0 else [-5, -7]), third + 5]
