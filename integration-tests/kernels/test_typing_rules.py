"""The typing rules of the language at work: the type of each result, and its value beside NumPy's."""

from __future__ import annotations

import re

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx

N = 37
# lhs, rhs, type of lhs + rhs, type of lhs / rhs
PAIRS = [
    ("bool", "bool", "int32", "float32"),
    ("bool", "int8", "int32", "float32"),
    ("bool", "uint64", "uint64", "float64"),
    ("int8", "int16", "int16", "float32"),
    ("int8", "uint8", "uint8", "float32"),
    ("uint16", "int32", "int32", "float32"),
    ("int32", "uint32", "uint32", "float32"),
    ("int32", "int64", "int64", "float64"),
    ("uint64", "int64", "uint64", "float64"),
    ("uint8", "uint64", "uint64", "float64"),
    ("int64", "float16", "float64", "float64"),
    ("int32", "float16", "float32", "float32"),
    ("float16", "bool", "float32", "float32"),
    ("int8", "float16", "float16", "float16"),
    ("float16", "float32", "float32", "float32"),
    ("float64", "float16", "float64", "float64"),
    ("bool", "float32", "float32", "float32"),
]


def named(name):
    return fx.Boolean if name == "bool" else getattr(fx, name.capitalize())


def numbers(name, seed):
    """Numbers of both signs where there are two; no zeros."""
    rng = np.random.default_rng(seed)
    if name == "bool":
        return np.ones(N, bool)
    if name.startswith("float"):
        return (rng.standard_normal(N) * 8 + 0.25).astype(name)
    info = np.iinfo(name)
    small = rng.integers(max(info.min, -99), 100, N).astype(name)
    return np.where(small == 0, np.array(7, name), small).astype(name)


@flyc.kernel
def combine(
    x: fx.Tensor, y: fx.Tensor, results: fx.Tensor, quotients: fx.Tensor, flags: fx.Tensor, types: fx.Constexpr
):
    i = fx.thread_idx.x
    lhs, rhs, common, quotient = types
    a, b = lhs(x[i]), rhs(y[i])  # an array of bool has bytes
    values = (a + b, a - b, a * b, a // b, a % b)
    for index in fx.range_constexpr(5):
        assert values[index].dtype is common, values[index].dtype
        results[index, i] = values[index]
    assert (a / b).dtype is quotient
    assert (a < b).dtype is fx.Boolean
    quotients[i] = a / b
    flags[0, i], flags[1, i], flags[2, i] = a < b, a >= b, a == b


@flyc.jit
def run_combine(
    x: fx.Tensor, y: fx.Tensor, results: fx.Tensor, quotients: fx.Tensor, flags: fx.Tensor, types: fx.Constexpr
):
    combine(x, y, results, quotients, flags, types).launch(grid=1, block=N)


@pytest.mark.parametrize("lhs, rhs, common, quotient", PAIRS)
def test_types_and_values_of_results(lhs, rhs, common, quotient):
    x, y = numbers(lhs, 1), numbers(rhs, 2)
    results, quotients, flags = np.zeros((5, N), common), np.zeros(N, quotient), np.zeros((3, N), bool)
    run_combine(x, y, results, quotients, flags, tuple(map(named, (lhs, rhs, common, quotient))))
    with np.errstate(over="ignore"):
        a, b = x.astype(common), y.astype(common)
        floats = common.startswith("float")
        expected = [a + b, a - b, a * b, a // b, np.remainder(a, b) if floats else np.fmod(a, b)]
    tolerance = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}
    for found, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(found, wanted, rtol=tolerance.get(common, 0))
    np.testing.assert_allclose(quotients, x.astype(np.float64) / y.astype(np.float64), rtol=tolerance[quotient])
    np.testing.assert_array_equal(flags, [a < b, a >= b, a == b])


@flyc.kernel
def with_literals(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    i = fx.thread_idx.x
    a = x[i]
    assert (a + 1).dtype is fx.Int32
    assert (a + 2**31).dtype is fx.Int64
    assert (a + True).dtype is fx.Int32
    assert (a * 0.5).dtype is fx.Float32
    assert (fx.Float16(a) + fx.BFloat16(a)).dtype is fx.Float32
    assert (fx.Index(a) + fx.Int64(a)).dtype is fx.Index
    assert (fx.Int128(a) + fx.Uint128(a)).dtype is fx.Uint128
    y[0, i] = a + 2**31
    y[1, i] = (a + 1) << 30
    y[2, i] = -7 // a
    y[3, i] = -7 % a
    y[4, i] = fx.Int64(fx.Uint32(a) >> 28)
    y[5, i] = fx.Int64(fx.Uint32(a) // 3)
    z[0, i] = a * 0.5
    z[1, i] = 1 / a
    z[2, i] = a // 0.75


@flyc.jit
def run_with_literals(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor):
    with_literals(x, y, z).launch(grid=1, block=N)


def test_python_numbers_take_part_with_their_default_types():
    x = numbers("int32", 3)
    y, z = np.zeros((6, N), np.int64), np.zeros((3, N), np.float32)
    run_with_literals(x, y, z)
    wide = x.astype(np.int64)
    np.testing.assert_array_equal(y[0], wide + 2**31)
    np.testing.assert_array_equal(y[1], ((wide + 1) << 30).astype(np.int32))
    np.testing.assert_array_equal(y[2], -7 // wide)
    np.testing.assert_array_equal(y[3], np.fmod(-7, wide))
    np.testing.assert_array_equal(y[4], x.view(np.uint32) >> 28)
    np.testing.assert_array_equal(y[5], x.view(np.uint32) // 3)
    np.testing.assert_allclose(z, [x * 0.5, 1 / x, np.float32(x) // np.float32(0.75)], rtol=1e-6)


@flyc.kernel
def touch(x: fx.Tensor):
    x[0, 0] = x[0, 0]


@flyc.jit
def run_touch(x: fx.Tensor):
    touch(x).launch(grid=1, block=1)


def argument(tensor):
    """The type of the tensor argument, and the slots of its launcher."""
    traced = run_touch.trace(tensor)
    found = re.search(r"!fly\.memref<(.*?)>[,)]", str(traced.module))
    assert found is not None
    return found.group(1), [slot.format for slot in traced.lower().compile().slots]


def test_a_bare_tensor_has_dynamic_extents_and_strides_but_the_unit_stride():
    tensor = np.zeros((4, 6), np.float32)
    kind, slots = argument(tensor)
    assert kind == "f32, global, (?,?):(?{i64},1)"
    assert len(slots) == 2
    transposed, _ = argument(tensor.T)
    assert transposed == "f32, global, (?,?):(1,?{i64})"


def test_a_wrapped_tensor_is_static_until_it_is_marked():
    tensor = np.zeros((4, 6), np.float32)
    assert argument(flyc.from_dlpack(tensor)) == ("f32, global, (4,6):(6,1)", ["Q"])
    marked, slots = argument(flyc.from_dlpack(tensor, use_32bit_stride=True).mark_layout_dynamic(leading_dim=1))
    assert marked == "f32, global, (?,?):(?,1)"
    assert len(slots) == 2


def test_scalars_of_numpy_count_as_numbers_of_python_on_either_side():
    three, half = np.int64(3), np.float32(0.5)

    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor, count: fx.Constexpr):
        i = fx.thread_idx.x
        value = (x[i] - half) * three + (half - x[i])
        assert value.dtype is fx.Float32
        if value > half:
            value = fx.max(value, np.float16(2)) + fx.sqrt(np.float32(4))
        assert (i + three).dtype is fx.Int32
        y[i + three - count] = value

    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor, count: fx.Constexpr):
        kernel(x, y, count).launch(grid=1, block=N)

    x = np.random.default_rng(5).standard_normal(N).astype(np.float32)
    y = np.zeros_like(x)
    host(x, y, three)
    value = (x.astype(np.float64) - 0.5) * 3 + (0.5 - x)
    expected = np.where(value > 0.5, np.maximum(value, 2) + 2, value)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
