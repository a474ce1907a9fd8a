"""Helpers, methods, containers and `continue` in kernels, compared with the same Python."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError

N = 61


def launch(kernel, *extra) -> tuple[np.ndarray, np.ndarray]:
    """One thread for each element of an int32 vector."""

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y, *extra).launch(grid=1, block=N)

    x, y = np.arange(N, dtype=np.int32) - 20, np.full(N, -99, np.int32)
    host(x, y)
    return x, y


def classify(v):
    if v < -10:
        return -1
    if v < 0:
        return 0
    return collatz(v + 1)


def collatz(n):
    steps = 0
    while n != 1 and steps < 50:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@flyc.kernel
def calls_helpers(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = classify(x[fx.thread_idx.x])


def test_helpers_with_dynamic_branches_and_loops_equal_python():
    x, y = launch(calls_helpers)
    np.testing.assert_array_equal(y, [classify(int(v)) for v in x])


class Scale:
    """A kernel and a helper as methods."""

    def __init__(self, factor: int) -> None:
        self.factor = factor

    def apply(self, v):
        if v > 5:
            return v * self.factor
        return v


@flyc.kernel
def uses_an_object(x: fx.Tensor, y: fx.Tensor, scale: fx.Constexpr):
    y[fx.thread_idx.x] = scale.apply(x[fx.thread_idx.x])


def test_methods_of_compile_time_objects_are_helpers():
    for factor in (2, 7):
        x, y = launch(uses_an_object, Scale(factor))
        np.testing.assert_array_equal(y, np.where(x > 5, x * factor, x))


@flyc.kernel
def containers(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    state = SimpleNamespace(sums=[0, 0], count=0, limit=12)
    seen = {"last": -1}
    for k in range(i):
        if k % 3 == 0:
            continue
        if k > state.limit:
            state.sums[1] += k
        else:
            state.sums[0] += k
        state.count += 1
        seen["last"] = k
    y[i] = state.sums[0] * 1000 + state.sums[1] * 10 + state.count + seen["last"]


def test_containers_changed_in_dynamic_loops_equal_python():
    def reference(i: int) -> int:
        turns = [k for k in range(i) if k % 3]
        low, high = sum(k for k in turns if k <= 12), sum(k for k in turns if k > 12)
        return low * 1000 + high * 10 + len(turns) + (turns[-1] if turns else -1)

    _, y = launch(containers)
    np.testing.assert_array_equal(y, [reference(i) for i in range(N)])


def fails(v):
    return v + "text"


@flyc.kernel
def calls_a_failing_helper(x: fx.Tensor, y: fx.Tensor):
    y[0] = fails(x[0])


def test_an_error_in_a_helper_shows_the_helper_and_its_caller():
    with pytest.raises(FrontendError) as error:
        launch(calls_a_failing_helper)
    text = str(error.value)
    assert 'return v + "text"' in text
    assert f"called from {__file__}:{calls_a_failing_helper.__wrapped__.__code__.co_firstlineno + 2}" in text


SCALES = [lambda value, factor=factor: value * factor for factor in (2.0, 3.0)]


@flyc.kernel
def call_lambdas_of_comprehensions(x: fx.Tensor):
    shifts = [lambda value: value + 1.0 for _ in range(2)]
    x[0], x[1] = shifts[0](x[0]), SCALES[1](x[1])


@flyc.jit
def run_lambdas_of_comprehensions(x: fx.Tensor):
    call_lambdas_of_comprehensions(x).launch(grid=1, block=1)


def test_lambdas_made_in_comprehensions_are_helpers():
    x = np.ones(2, np.float32)
    run_lambdas_of_comprehensions(x)
    assert x.tolist() == [2, 3]
