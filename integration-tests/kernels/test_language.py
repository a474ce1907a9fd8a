"""Python in kernels: loops with state, containers, calls of every kind, assertions; each equals plain Python."""

from __future__ import annotations

import functools
import linecache
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import SourceUnavailableError

N = 29


def run(kernel, *extra) -> tuple[np.ndarray, np.ndarray]:
    """Launch one thread for each element of an int32 vector."""

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y, *extra).launch(grid=1, block=N)

    x, y = np.arange(N, dtype=np.int32) - 9, np.full(N, -99, np.int32)
    host(x, y)
    return x, y


def as_kernel(function):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = function(x[fx.thread_idx.x])

    return kernel


def assert_equals_python(function):
    x, y = run(as_kernel(function))
    np.testing.assert_array_equal(y, [function(int(v)) for v in x])


@flyc.kernel
def handed_on(x: fx.Tensor, y: fx.Tensor):
    n, i = x[fx.thread_idx.x], fx.thread_idx.x
    for k, state in range(0, n, init=[1, 0]):
        results = yield [(state[0] * 3) & 255, state[1] + k]
    for k, (low, high) in range(0, i, 2, init=(results[0], 5)):
        pair = yield low - k, (high + low) & 1023
    for k, one in range(2, i, init=7):
        last = yield (one * 2 + k) & 1023
    y[i] = results[0] + results[1] * 2 + pair[0] * 3 + pair[1] * 5 + last


def handed_on_reference(n: int, i: int) -> int:
    first, total = 1, 0
    for k in range(n):
        first, total = (first * 3) & 255, total + k
    low, high = first, 5
    for k in range(0, i, 2):
        low, high = low - k, (high + low) & 1023
    last = 7
    for k in range(2, i):
        last = (last * 2 + k) & 1023
    return first + total * 2 + low * 3 + high * 5 + last


def test_state_is_handed_on_by_init_and_yield():
    x, y = run(handed_on)
    np.testing.assert_array_equal(y, [handed_on_reference(int(n), i) for i, n in enumerate(x)])


@flyc.kernel
def unrolled(x: fx.Tensor, y: fx.Tensor, factor: fx.Constexpr[int]):
    n, total = x[fx.thread_idx.x], 0
    for i in range(1, n, 2, unroll=factor):
        total = (total * 3 + i) & 65535
    for i in range(4, unroll=True):
        total += (7, 5, 3, 1)[i]
    for i in range(n, -2, -1, unroll=factor):
        if i == 3:
            break
        total = (total * 2 + i) & 65535
    y[fx.thread_idx.x] = total


@pytest.mark.parametrize("factor", [1, 2, 5])
def test_unrolling_changes_nothing(factor):
    def reference(n: int) -> int:
        total = 0
        for i in range(1, n, 2):
            total = (total * 3 + i) & 65535
        total += 16
        for i in range(n, -2, -1):
            if i == 3:
                break
            total = (total * 2 + i) & 65535
        return total

    x, y = run(unrolled, factor)
    np.testing.assert_array_equal(y, [reference(int(n)) for n in x])


@dataclass
class Sums:
    even: object
    odd: object


@dataclass(frozen=True)
class Pair:
    low: object
    high: object


@fx.struct
class Point:
    across: fx.Int32
    down: fx.Int32


def test_records_and_containers_are_carried():
    def function(n):
        sums, pair, names = Sums(n, n), Pair(n, n * 2), SimpleNamespace(best=0, flag=False)
        table = {"list": [0, n], "pair": (n, 1)}
        for i in range(n):
            if i % 2 == 0:
                sums.even += i
                table["list"][0] += 1
            else:
                sums.odd += i
                pair = replace(pair, high=pair.high + 1)
            if sums.odd > 20 and not names.flag:
                names.best, names.flag = i, True
            table["pair"] = (table["pair"][0] + 1, table["pair"][1])
        total = sums.even * 3 + sums.odd * 5 + pair.high * 7 + names.best * 11
        total += table["list"][0] + table["list"][1] + table["pair"][0]
        if names.flag:
            total += 10000
        return total

    assert_equals_python(function)


def test_a_struct_is_carried():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        n = x[fx.thread_idx.x]
        point = Point(n, 1)
        for i in range(n):
            point = point.replace(down=point.down + i) if i > 5 else Point(point.across + 1, point.down)
        y[fx.thread_idx.x] = point.across * 100 + point.down

    x, y = run(kernel)
    expected = [(n + min(max(n, 0), 6)) * 100 + 1 + sum(range(6, max(n, 0))) for n in x.tolist()]
    np.testing.assert_array_equal(y, expected)


def twice(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(function(*args, **kwargs), **kwargs)

    return wrapper


@twice
def step(value, *, by=1):
    if value > 10:
        return value - by
    return value + by


def collect(first, *rest, scale=1, **others):
    total = first
    for value in rest:
        total = total + value if value > 2 else total - value
    for key in sorted(others):
        total = total * scale + others[key]
    return total


def power(value, exponent):
    if exponent == 0:
        return 1
    return value * power(value, exponent - 1)


class Model:
    bias = 3

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, value):
        return self.apply(value) if value > self.bias else self.offset(value)

    def apply(self, value):
        return value * self.scale

    @staticmethod
    def offset(value):
        return value - 1

    @classmethod
    def biased(cls, value):
        return value + cls.bias


def test_calls_of_every_kind():
    def function(n):
        model, weights = Model(4), {"a": 2, "b": n}

        def inner(value, shift=n):
            if value < shift:
                return value + 1
            return value - shift

        total = collect(n, *[n - 1, 5], scale=2, **weights) + step(n, by=3) + power(n, 3) + model(n)
        total += model.apply(n) + Model.offset(n) + Model.biased(n) + inner(n * 2) + (lambda v: v * 2)(n)
        total += functools.partial(step, by=2)(n) + sum([v + 1 for v in (1, n, 3)]) + min(4, 5)
        (first, *rest), last = (n, 1, 2), n if (half := n // 2) > 2 else half
        text = f"{n}"
        return total + first + rest[1] + last + (1 if text is None else 0)

    assert_equals_python(function)


def test_augmented_assignment_of_items_attributes_and_tensors():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        i = fx.thread_idx.x
        y[i] = 1
        y[i] += x[i]
        state, items = SimpleNamespace(a=2), [3, 4]
        if x[i] > 0:
            state.a *= x[i]
            items[1] -= 1
            y[i] <<= 1
        y[i] ^= state.a + items[1]

    x, y = run(kernel)
    np.testing.assert_array_equal(y, [((1 + v) * 2) ^ (2 * v + 3) if v > 0 else (1 + v) ^ 6 for v in x.tolist()])


def test_a_float_stored_to_integers_loses_its_fraction():
    def function(n):
        return n / 2

    x, y = run(as_kernel(function))
    np.testing.assert_array_equal(y, [int(v / 2) for v in x.tolist()])


def test_a_variable_deleted_in_a_branch_and_set_again():
    def function(n):
        value = n
        if n > 3:
            del value
            value = n * 2
        return value

    assert_equals_python(function)


def test_a_kernel_of_a_notebook_cell_is_traced():
    name = "<ipython-input-7-abcdef>"
    text = "@flyc.kernel\ndef kernel(x: fx.Tensor, y: fx.Tensor):\n    i = fx.thread_idx.x\n"
    text += "    if x[i] > 3:\n        y[i] = x[i]\n    else:\n        y[i] = 0\n"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {"fx": fx, "flyc": flyc}
    exec(compile(text, name, "exec"), names)
    x, y = run(names["kernel"])
    np.testing.assert_array_equal(y, np.where(x > 3, x, 0))


def test_code_without_source_says_what_to_do():
    names = {"fx": fx, "flyc": flyc}
    exec("@flyc.kernel\ndef kernel(x: fx.Tensor, y: fx.Tensor):\n    y[0] = x[0]\n", names)
    with pytest.raises(SourceUnavailableError, match="define it in a file or a notebook"):
        run(names["kernel"])


def test_tracing_leaves_functions_and_modules_alone():
    code, names = step.__wrapped__.__code__, set(globals())
    run(as_kernel(step))
    assert step.__wrapped__.__code__ is code
    assert set(globals()) == names


SMALL, NONE = (1, -3, 6), ()


def membership(v):
    one = 1 if v in SMALL else 2
    two = 1 if v not in [2, v + 1, 5] else 2
    three = 1 if v in {4: 0, 5: 1} else 2 if v in NONE else 3
    four = 1 if 0 < v in (1, 2) else 2
    if v in (0, 7):
        four = 4
    return one + 10 * two + 100 * three + 1000 * four


def test_membership():
    assert_equals_python(membership)


def identity(v):
    held, kind = (v, None), int
    return (1 if held[0] is not None else 2) + (10 if kind is int else 20) + (100 if held[1] is None is None else 200)


def test_identity_of_what_is_known_while_tracing():
    assert_equals_python(identity)


@flyc.kernel
def by_types(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = (1 if x.dtype == np.int32 else 2) + (10 if x[i].dtype == "float32" else 20)
    if y.dtype in (np.float32, np.dtype("int32")) and np.dtype("int8") != x.dtype:
        y[i] = y[i] + 100


def test_types_of_elements_are_compared_with_those_of_numpy():
    _, y = run(by_types)
    np.testing.assert_array_equal(y, 121)
