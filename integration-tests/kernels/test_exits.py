"""`break`, `continue`, `return` and `else` in every place: functions run as helpers of kernels, and as plain Python."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 37


def on_device(function) -> np.ndarray:
    """`function` of 37 numbers, one a thread."""

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = function(x[fx.thread_idx.x])

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=N)

    y = np.full(N, -99, np.int32)
    host(numbers(), y)
    return y


def numbers() -> np.ndarray:
    return np.arange(N, dtype=np.int32) - 12


def break_in_for(n):
    total = 0
    for i in range(n):
        if i * i > 50:
            break
        total += i
    return total


def break_in_while(n):
    total = n
    while total < 100:
        total = total + 7
        if total % 5 == 0:
            break
        total += 1
    return total


def counter_behind_the_loop(n):
    last = ((n & 3) + n) & 255
    for k in range(3, (n & 7) + 1):
        last = (k - last) & 255
        if k == (n & 3):
            break
    return 2 if (n & 3) < 2 else (last + 4) & 255


def break_of_an_endless_while(n):
    steps = 0
    while True:
        if n <= 1 or steps == 40:
            break
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def break_and_continue(n):
    total = 0
    for i in range(0, 40, 3):
        if i % 2 == 0:
            if i > n:
                break
            total += 1
            continue
        total += i
        if total > 60:
            continue
        total += 2
    return total


def else_of_loops(n):
    found = -1
    for i in range(2, n):
        if n % i == 0:
            found = i
            break
    else:
        found = 1000 + n
    k = 0
    while k < n:
        k += 4
        if k == 12:
            break
    else:
        found += 5000
    return found + k


def return_in_for(n):
    for i in range(n):
        if i * 3 > n + 4:
            return i
    return -n


def return_in_nested_loops(n):
    count = 0
    for i in range(n):
        j = 0
        while j < i:
            if i * j > 30:
                return 10000 + i * 100 + j
            if (i + j) % 3 == 0:
                break
            j += 1
        else:
            count += 1
        for k in range(i):
            if k == 4:
                continue
            if k > 6:
                break
            count += k
    return count


def return_in_part_of_a_branch(n):
    r = n * 2
    if n > 0:
        r += 1
        if n % 3 == 0:
            return -r
        r += 10
    elif n < -5:
        r -= 1
        if n % 2 == 0:
            return 7
    r = r * 3
    if r > 40:
        for i in range(n):
            if i == 9:
                return r + i
    return r + 1


def return_in_a_static_loop(n):
    for k in (3, 8, 20):
        if n < k:
            return k
        if n == 9:
            break
    return 0


def break_in_a_static_loop(n):
    total = 0
    for k in fx.range_constexpr(6):
        if n < k:
            break
        if k == n - 5:
            continue
        total += k
    else:
        total += 100
    return total


def index_after_a_loop(n):
    i = -1
    for i in range(20):
        if i >= n:
            break
    return i


def down(n):
    total, last = 0, 0
    for i in range(n, -3, -4):
        total = total * 2 + i
        last = i
    for i in range(20, n, -1):
        if i % 7 == 0:
            break
        last += 1
    return total + last


def walrus_in_while(n):
    total = 0
    while (rest := n - total) > 3:
        total += rest // 2
        if total == 8:
            break
    return total * 100 + rest


def assigned_after_continue(n):
    total = 0
    for i in range(n):
        if i % 3 == 1:
            continue
        doubled = i * 2
        if doubled > 20:
            break
        total += doubled
    return total


def static_then_dynamic_condition(n):
    i, limit = 0, 3
    while i < limit:
        i += 1
        if i == 2:
            limit = n
    return i


def while_in_while(n):
    total, a = 0, 0
    while a < n:
        b = a
        while True:
            b += 3
            if b > 20:
                return total + 1000
            if b % 4 == 0:
                break
            total += b
        a += 2
        if total > 200:
            continue
        total += 1
    return total


def factors(n):
    for p in range(2, 40):
        while n % p == 0 and n > 1:
            n = n // p
            if n < p:
                return p
    return n


FUNCTIONS = [
    break_in_for, break_in_while, break_of_an_endless_while, break_and_continue, else_of_loops, return_in_for,
    return_in_nested_loops, return_in_part_of_a_branch, return_in_a_static_loop, break_in_a_static_loop,
    index_after_a_loop, down, walrus_in_while, assigned_after_continue, static_then_dynamic_condition,
    while_in_while, factors, counter_behind_the_loop,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_ways_out_of_loops_and_branches_equal_python(function):
    np.testing.assert_array_equal(on_device(function), [function(int(n)) for n in numbers()])
