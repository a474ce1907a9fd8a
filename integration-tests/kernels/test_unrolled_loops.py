"""`range` and `fx.range` with every `unroll=`: what a loop computes is what Python's does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError, UnsupportedConstructError

BOUNDS = [(0, 0, 1), (3, 3, 1), (5, 2, 1), (0, 1, 1), (0, 7, 1), (2, 21, 3), (9, 0, -1), (9, -8, -4), (0, 9, -1)]
UNROLLS = (None, 1, 2, 3, 4, 16)


def hashed(value: Any, k: Any) -> Any:
    return (value * 3 + k + 11) & 65535


@flyc.kernel
def known(y: fx.Tensor, bounds: fx.Constexpr[tuple[int, int, int]], unroll: fx.Constexpr[Any]):
    """Carried values, a loop in a loop, stores without a carried value, and a state by `init=`."""
    total = 7
    for k in fx.range(bounds[0], bounds[1], bounds[2], unroll=unroll):
        total = hashed(total, k)
        for j in range(3, -1, -1, unroll=unroll):
            total = hashed(total, j - k)
    for k in fx.range(bounds[0], bounds[1], bounds[2], unroll=unroll):
        y[2 + k + 20] = k
    state = [total, 1]
    for k, (a, b) in fx.range(bounds[0], bounds[1], bounds[2], init=(total, 1), unroll=unroll):
        state = yield hashed(b, k), a
    y[0], y[1] = state[0], state[1]


@flyc.kernel
def dynamic(y: fx.Tensor, bounds: fx.Tensor, unroll: fx.Constexpr[Any]):
    total = 7
    for k in fx.range(bounds[0], bounds[1], bounds[2], unroll=unroll):
        total = hashed(total, k)
        for j in fx.range(bounds[1], unroll=unroll):
            total = hashed(total, j - k)
    for k in range(bounds[0], bounds[1], bounds[2], unroll=unroll):
        y[2 + k + 20] = k
    found, other = total, 1
    for k in fx.range(bounds[0], bounds[1], bounds[2], unroll=unroll):
        if other == 40000:
            break
        found, other = hashed(other, k), found
    y[0], y[1] = found, other


def reference(bounds: tuple[int, int, int], inner: range) -> np.ndarray:
    y, total = np.full(64, -99, np.int32), 7
    for k in range(*bounds):
        total = hashed(total, k)
        for j in inner:
            total = hashed(total, j - k)
        y[22 + k] = k
    a, b = total, 1
    for k in range(*bounds):
        a, b = hashed(b, k), a
    y[0], y[1] = a, b
    return y


@pytest.mark.parametrize("unroll", UNROLLS)
def test_a_loop_of_known_bounds(unroll: int | None) -> None:
    @flyc.jit
    def run(y: fx.Tensor, bounds: fx.Constexpr[tuple[int, int, int]]):
        known(y, bounds, unroll).launch(grid=1, block=1)

    for bounds in BOUNDS:
        y = np.full(64, -99, np.int32)
        run(y, bounds)
        np.testing.assert_array_equal(y, reference(bounds, range(3, -1, -1)), err_msg=str(bounds))


@pytest.mark.parametrize("unroll", UNROLLS)
def test_a_loop_of_bounds_of_run_time(unroll: int | None) -> None:
    @flyc.jit
    def run(y: fx.Tensor, bounds: fx.Tensor):
        dynamic(y, bounds, unroll).launch(grid=1, block=1)

    for bounds in BOUNDS:
        y = np.full(64, -99, np.int32)
        run(y, np.array(bounds, np.int32))
        np.testing.assert_array_equal(y, reference(bounds, range(bounds[1])), err_msg=str(bounds))


@pytest.mark.parametrize("unroll", [0, -2, 1.5, "2"])
@pytest.mark.parametrize("kernel", [known, dynamic])
def test_other_numbers_are_refused_at_the_users_line(kernel: Any, unroll: Any) -> None:
    @flyc.jit
    def run(y: fx.Tensor, bounds: fx.Tensor):
        kernel(y, (0, 4, 1) if kernel is known else bounds, unroll).launch(grid=1, block=1)

    with pytest.raises(UnsupportedConstructError, match="unroll is True or a positive number known while") as error:
        run(np.zeros(64, np.int32), np.zeros(3, np.int32))
    assert f"found {unroll!r}" in str(error.value)
    assert "for k in fx.range(bounds[0], bounds[1], bounds[2], unroll=unroll):" in str(error.value)


def test_a_number_of_run_time_and_unknown_bounds_are_refused() -> None:
    @flyc.kernel
    def by_argument(y: fx.Tensor, n: fx.Int32):
        for k in fx.range(4, unroll=n):
            y[k] = k

    @flyc.kernel
    def completely(y: fx.Tensor, n: fx.Int32):
        for k in fx.range(n, unroll=True):
            y[k] = k

    @flyc.jit
    def run(y: fx.Tensor, n: fx.Int32, which: fx.Constexpr[int]):
        (by_argument, completely)[which](y, n).launch(grid=1, block=1)

    y = np.zeros(64, np.int32)
    with pytest.raises(UnsupportedConstructError, match=r"known while tracing, found Int32\(.*1 keeps the loop"):
        run(y, 4, 0)
    with pytest.raises(FrontendError, match="unroll=True needs bounds known while tracing, found .*, as in unroll=4"):
        run(y, 4, 1)
