"""Every numeric type: round trips, arithmetic with the language's typing rules, and conversions."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 61
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
TYPES = {name: getattr(fx, name.capitalize()) for name in [*INTEGERS, *FLOATS]} | {"bool": fx.Boolean}


def random(name: str, seed: int = 0) -> np.ndarray:
    """Random bits for integers, numbers of both signs for floats."""
    rng = np.random.default_rng(seed)
    if name == "bool":
        return rng.integers(0, 2, N).astype(bool)
    if name.startswith("float"):
        return (rng.standard_normal(N) * 50).astype(name)
    return np.frombuffer(rng.bytes(N * np.dtype(name).itemsize), name).copy()


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = x[fx.thread_idx.x]


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor):
    copy_kernel(x, y).launch(grid=1, block=N)


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS, "bool"])
def test_elements_make_the_round_trip(name):
    x = random(name)
    y = np.zeros_like(x)
    copy(x, y)
    np.testing.assert_array_equal(y, x)


INTEGER_RESULTS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": np.fmod,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "shift left": lambda a, b: a << (b & 7),
    "shift right": lambda a, b: a >> (b & 7),
    "invert": lambda a, b: ~a,
    "negate": lambda a, b: -a,
    "absolute": lambda a, b: np.abs(a),
    "maximum": np.maximum,
    "cube": lambda a, b: a * a * a,
}


@flyc.kernel
def integer_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    a, b = x[i], y[i]
    z[i, 0] = a + b
    z[i, 1] = a - b
    z[i, 2] = a * b
    z[i, 3] = a // b
    z[i, 4] = a % b
    z[i, 5] = a & b
    z[i, 6] = a | b
    z[i, 7] = a ^ b
    z[i, 8] = a << (b & 7)
    z[i, 9] = a >> (b & 7)
    z[i, 10] = ~a
    z[i, 11] = -a
    z[i, 12] = abs(a)
    z[i, 13] = fx.max(a, b)
    z[i, 14] = a**3


@flyc.jit
def integers(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    integer_kernel(x, y, z).launch(grid=1, block=N)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_wrap_floor_and_shift_as_in_numpy(name):
    x, y = random(name), random(name, 1)
    y[y == 0] = 3
    if name.startswith("int"):
        y[y == -1] = -7
    z = np.zeros((N, len(INTEGER_RESULTS)), name)
    integers(x, y, z)
    with np.errstate(over="ignore"):
        for column, (what, reference) in enumerate(INTEGER_RESULTS.items()):
            np.testing.assert_array_equal(z[:, column], reference(x, y).astype(name), err_msg=what)


@flyc.kernel
def compare_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    a, b = x[i], y[i]
    z[i, 0] = a < b
    z[i, 1] = a <= b
    z[i, 2] = a > b
    z[i, 3] = a >= b
    z[i, 4] = a == b
    z[i, 5] = a != b


@flyc.jit
def compare(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    compare_kernel(x, y, z).launch(grid=1, block=N)


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS])
def test_comparisons_have_the_sign_of_their_type(name):
    x, y = random(name), random(name, 1)
    y[::5] = x[::5]
    if name.startswith("float"):
        y[3] = np.nan
    z = np.zeros((N, 6), bool)
    compare(x, y, z)
    expected = [x < y, x <= y, x > y, x >= y, x == y, x != y]
    np.testing.assert_array_equal(z, np.stack(expected, 1))


@flyc.kernel
def float_kernel(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    a, b = x[i], y[i]
    z[i, 0] = a + b
    z[i, 1] = a - b
    z[i, 2] = a * b
    z[i, 3] = a / b
    z[i, 4] = a // b
    z[i, 5] = a % b
    z[i, 6] = -a
    z[i, 7] = abs(a)
    z[i, 8] = fx.max(a, b)
    z[i, 9] = fx.min(a, b)


@flyc.jit
def floats(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    float_kernel(x, y, z).launch(grid=1, block=N)


@pytest.mark.parametrize("name", FLOATS)
def test_floats_round_once(name):
    x, y = random(name), random(name, 1)
    z = np.zeros((N, 10), name)
    floats(x, y, z)
    expected = [x + y, x - y, x * y, x / y, x // y, np.remainder(x, y), -x, np.abs(x)]
    expected += [np.maximum(x, y), np.minimum(x, y)]
    np.testing.assert_array_equal(z, np.stack(expected, 1))


@flyc.kernel
def mixed_kernel(small: fx.Tensor, unsigned: fx.Tensor, wide: fx.Tensor, real: fx.Tensor):
    i = fx.thread_idx.x
    real[i, 0] = small[i] / unsigned[i]
    real[i, 1] = small[i] + unsigned[i]
    real[i, 2] = small[i] + wide[i]
    real[i, 3] = unsigned[i] * 2 - small[i]
    real[i, 4] = (small[i] > 3) + True + fx.Int64(small[i])
    real[i, 5] = wide[i] / 3


@flyc.jit
def mixed(small: fx.Tensor, unsigned: fx.Tensor, wide: fx.Tensor, real: fx.Tensor):
    mixed_kernel(small, unsigned, wide, real).launch(grid=1, block=N)


def test_mixed_types_follow_the_typing_rules():
    small = np.arange(N, dtype=np.int32) - 20
    unsigned = np.arange(N, dtype=np.uint32) + 2**31
    wide = np.arange(N, dtype=np.int64) * 2**33
    real = np.zeros((N, 6))
    mixed(small, unsigned, wide, real)
    as_unsigned = small.astype(np.uint32)
    expected = [
        small.astype(np.float32) / unsigned.astype(np.float32),
        as_unsigned + unsigned,
        small + wide,
        unsigned * np.uint32(2) - as_unsigned,
        (small > 3) + 1 + small.astype(np.int64),
        wide / 3.0,
    ]
    np.testing.assert_array_equal(real, np.stack([e.astype(np.float64) for e in expected], 1))


@flyc.kernel
def cast_kernel(x: fx.Tensor, results: fx.Constexpr[tuple]):
    i = fx.thread_idx.x
    *numbers, flags = results
    for result in numbers:
        result[i] = x[i]
    flags[i] = x[i].to(fx.Boolean)  # a bool is stored as a byte


def to_every_type(x: np.ndarray) -> dict[str, np.ndarray]:
    results = {name: np.zeros(N, name) for name in TYPES}

    @flyc.jit
    def cast(
        x: fx.Tensor,
        a: fx.Tensor,
        b: fx.Tensor,
        c: fx.Tensor,
        d: fx.Tensor,
        e: fx.Tensor,
        f: fx.Tensor,
        g: fx.Tensor,
        h: fx.Tensor,
        i: fx.Tensor,
        j: fx.Tensor,
        k: fx.Tensor,
        m: fx.Tensor,
    ):
        cast_kernel(x, (a, b, c, d, e, f, g, h, i, j, k, m)).launch(grid=1, block=N)

    cast(x, *results.values())
    return results


@pytest.mark.parametrize("name", TYPES)
def test_conversions_are_those_of_c(name):
    x = random(name)
    if name.startswith("float"):  # what is out of range has no value in C
        x = np.abs(np.clip(x, -100, 100))
    results = to_every_type(x)
    with np.errstate(over="ignore", invalid="ignore"):
        for target, result in results.items():
            np.testing.assert_array_equal(result, x.astype(target), err_msg=f"{name} to {target}")


def test_doubles_become_halves_in_one_rounding():
    base = random("float16").astype(np.float64)
    x = base * (1 + 2.0**-11) * (1 + 2.0**-40)  # just above the middle of two halves
    results = to_every_type(x)
    np.testing.assert_array_equal(results["float16"], x.astype(np.float16))


@flyc.kernel
def scalar_kernel(y: fx.Tensor, a: fx.Uint8, b: fx.Int64, c: fx.Float16, d: fx.BFloat16, e: fx.Float64, f: fx.Boolean):
    y[0], y[1], y[2], y[3] = a, b, c, d
    y[4], y[5] = e, f


@flyc.jit
def scalars(y: fx.Tensor, a: fx.Uint8, b: fx.Int64, c: fx.Float16, d: fx.BFloat16, e: fx.Float64, f: fx.Boolean):
    scalar_kernel(y, a, b, c, d, e, f).launch(grid=1, block=1)


def test_scalar_arguments_of_every_kind():
    for values in ((200, -(2**40), 1.5, 1.00390625, 0.1, True), (255, 2**52, -0.25, 1.01171875, -1e300, False)):
        y = np.zeros(6)
        scalars(y, *values)
        rounded = {1.00390625: 1.0, 1.01171875: 1.015625}[values[3]]  # bfloat16, ties to even
        np.testing.assert_array_equal(y, [*values[:3], rounded, *values[4:]])


@flyc.kernel
def grows_kernel(y: fx.Tensor, n):
    y[0] = n + 1


@flyc.jit
def grows(y: fx.Tensor, n):
    grows_kernel(y, n).launch(grid=1, block=1)


@pytest.mark.parametrize("n", [5, 2**31 - 2, 2**31, -(2**31), -(2**40), 2**62])
def test_an_int_without_annotation_is_as_wide_as_it_has_to_be(n):
    y = np.zeros(1, np.int64)
    grows(y, n)
    assert y[0] == n + 1
