"""Kernels with branches by calls and with names of other versions: the numbers of NumPy on every target."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import pytest
from support.targets import Target

from flydsl.base.errors import FrontendError


@pytest.fixture
def dispatched(corpus: Callable[[str], ModuleType]) -> ModuleType:
    return corpus("dispatched")


@pytest.mark.parametrize("is_signed", [False, True])
def test_branches_by_calls(dispatched: ModuleType, rng: np.random.Generator, is_signed: bool) -> None:
    x, y = rng.standard_normal(19).astype(np.float32), np.zeros((19, 2), np.float32)
    dispatched.clipped(x, y, 0.25, is_signed)
    values = np.where(x < 0.25, np.float32(0.25), x + np.float32(1))
    np.testing.assert_array_equal(y[:, 0], (-values if is_signed else values) + np.where(x < 0.25, 100, 0))
    assert np.flatnonzero(y[:, 1]).tolist() == [2]


@pytest.mark.parametrize("n", [0, 1, 6, 7])
def test_loops_by_calls(dispatched: ModuleType, rng: np.random.Generator, n: int) -> None:
    x, y = rng.integers(-9, 9, 8).astype(np.float32), np.zeros((5, 3), np.float32)
    dispatched.looped(x, y, n)
    np.testing.assert_array_equal(y[:, 0], np.arange(5) + x[:n:2].sum() + 2400)
    np.testing.assert_array_equal(y[:, 1:], np.full((5, 2), 7.0))


def test_what_a_path_cannot_give_is_refused(dispatched: ModuleType, target: Target) -> None:
    with pytest.raises(FrontendError, match="2 names for 1 values"):
        dispatched.if_(True, lambda: None, result_names=("a", "b"), result_values=(1,))
    with pytest.raises(FrontendError, match="'a' is None before a loop"):
        dispatched.for_(0, 1, 1, lambda i, a: a, result_names=("a",), result_values=(None,))
    with pytest.raises(FrontendError, match=r"gives values of a, b, found \(1, 2, 3\)"):
        dispatched.if_(True, lambda a, b: (1, 2, 3), result_names=("a", "b"), result_values=(1, 2))


def test_attributes_are_set_on_traced_kernels(dispatched: ModuleType, target: Target) -> None:
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    dispatched.limited(x, y)
    np.testing.assert_array_equal(x, y)
    assert "rocdl.waves_per_eu = 2 : i32" in dispatched.limited.trace(x, y).text
