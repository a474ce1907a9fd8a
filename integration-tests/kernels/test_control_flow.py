"""Branches and loops of kernels, dynamic and static, compared with the same Python."""

from __future__ import annotations

import numpy as np

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 61


def run(kernel, *extra):
    """Launch one thread for each element of an int32 vector and return what the kernel wrote."""
    x, y = np.arange(N, dtype=np.int32) - 20, np.full(N, -99, np.int32)

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y, *extra).launch(grid=1, block=N)

    launch(x, y)
    return x, y


def expected(function):
    return np.array([function(int(v)) for v in np.arange(N) - 20], np.int32)


@flyc.kernel
def branches(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    v = x[i]
    r = 0
    if v > 10:
        r = v * 2
    elif v > 0:
        r = v + 100
        if v == 5:
            r = -1
    else:
        r = r - v
    y[i] = r


def test_if_elif_else_with_carried_values():
    def reference(v):
        if v > 10:
            return v * 2
        return (-1 if v == 5 else v + 100) if v > 0 else -v

    _, y = run(branches)
    np.testing.assert_array_equal(y, expected(reference))


@flyc.kernel
def early_return(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    if x[i] < 0:
        return
    y[i] = x[i] + 1


def test_an_early_return_skips_the_rest():
    _, y = run(early_return)
    np.testing.assert_array_equal(y, expected(lambda v: -99 if v < 0 else v + 1))


@flyc.kernel
def loops(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    total, factor = 0, 1
    for step in range(2, i, 3):
        total += step * factor
        if step % 2 == 0:
            factor = factor + 1
    y[i] = total


def test_a_dynamic_for_carries_what_its_body_assigns():
    def reference(i):
        total, factor = 0, 1
        for step in range(2, i, 3):
            total += step * factor
            factor += step % 2 == 0
        return total

    _, y = run(loops)
    np.testing.assert_array_equal(y, np.array([reference(i) for i in range(N)], np.int32))


@flyc.kernel
def collatz(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    n, steps = i + 1, 0
    while n != 1 and steps < 500:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    y[i] = steps


def test_a_dynamic_while_with_short_circuit_and_conditional_expression():
    def reference(n):
        steps = 0
        while n != 1 and steps < 500:
            n, steps = (n // 2 if n % 2 == 0 else 3 * n + 1), steps + 1
        return steps

    _, y = run(collatz)
    np.testing.assert_array_equal(y, np.array([reference(i + 1) for i in range(N)], np.int32))


@flyc.kernel
def logic(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    v = x[i]
    r = 0
    if -5 <= v < 7 or not (v < 30):
        r = 1
    if i < N - 1 and x[i + 1] > 10:
        r = r + 2
    y[i] = r


def test_boolean_operators_and_chained_comparisons():
    x, y = run(logic)
    reference = [int(-5 <= v < 7 or not v < 30) + 2 * int(i < N - 1 and x[i + 1] > 10) for i, v in enumerate(x)]
    np.testing.assert_array_equal(y, np.array(reference, np.int32))


@flyc.kernel
def unrolled(x: fx.Tensor, y: fx.Tensor, weights: fx.Constexpr[tuple], doubled: fx.Constexpr[bool]):
    i = fx.thread_idx.x
    total = 0
    for k in fx.range_constexpr(len(weights)):
        if fx.const_expr(weights[k] == 0):
            continue
        total = total + x[i] * weights[k]
    if doubled:
        total = total * 2
    y[i] = total


def test_static_loops_and_conditions_stay_python():
    for doubled in (False, True):
        _, y = run(unrolled, (3, 0, 5), doubled)
        np.testing.assert_array_equal(y, expected(lambda v, d=doubled: v * 8 * (2 if d else 1)))


@flyc.kernel
def widening(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    best, where = 0.5, 0
    for k in range(4):
        value = fx.Float32(x[i]) * (k + 1)
        if value > best:
            best, where = value, k
    y[i] = where


def test_two_variables_of_different_types_are_carried_together():
    def reference(v):
        best, where = 0.5, 0
        for k in range(4):
            if v * (k + 1) > best:
                best, where = v * (k + 1), k
        return where

    _, y = run(widening)
    np.testing.assert_array_equal(y, expected(reference))


def test_the_users_function_is_left_alone():
    before = loops.__wrapped__.__code__
    run(loops)
    assert loops.__wrapped__.__code__ is before
    assert "__flydsl__" not in loops.__wrapped__.__globals__
