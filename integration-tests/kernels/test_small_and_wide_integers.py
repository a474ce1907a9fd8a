"""Integers of 4 and of 128 bits, and elements of less than a byte in memory."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import IRError

N = 70


def launch(kernel, x, y):
    @flyc.jit
    def host(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=N)

    host(x, y)
    return y


def wrapped(value: int, bits: int) -> int:
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


@flyc.kernel
def wide_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i].to(fx.Int128)
    cube = value * value * value
    y[i, 0], y[i, 1] = (cube >> 64).to(fx.Int64), cube.to(fx.Int64)
    y[i, 2] = (cube // (value + fx.Int128(7))).to(fx.Int64)
    y[i, 3] = (cube % (value + fx.Int128(7))).to(fx.Int64)
    y[i, 4] = (cube < value).to(fx.Int64)


def test_integers_of_128_bits_multiply_divide_and_compare():
    x = np.random.default_rng(0).integers(-(2**41), 2**41, N)
    y = launch(wide_kernel, x, np.zeros((N, 5), np.int64))
    for value, found in zip(x.tolist(), y.tolist(), strict=True):
        cube, divisor = value**3, value + 7
        remainder = abs(cube) % abs(divisor) * (-1 if cube < 0 else 1)
        parts = (cube >> 64, cube, cube // divisor, remainder, int(cube < value))
        assert found == [wrapped(part, 64) for part in parts]


@flyc.kernel
def wide_float_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    value = x[i].to(fx.Int128) << 40
    y[i, 0], y[i, 1] = value.to(fx.Float64), (value.to(fx.Float64).to(fx.Int128) >> 40).to(fx.Float64)


def test_integers_of_128_bits_become_floats_and_back():
    x = np.random.default_rng(1).integers(-(2**62), 2**62, N)
    y = launch(wide_float_kernel, x, np.zeros((N, 2)))
    expected = [float(value << 40) for value in x.tolist()]
    np.testing.assert_array_equal(y[:, 0], expected)
    np.testing.assert_array_equal(y[:, 1], [float(int(value) >> 40) for value in expected])


@flyc.kernel
def small_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    small = x[i].to(fx.Int4)
    y[i, 0], y[i, 1], y[i, 2] = small, small + small, small * fx.Int4(3)


def test_integers_of_4_bits_wrap():
    x = np.arange(N, dtype=np.int32) - 30
    y = launch(small_kernel, x, np.zeros((N, 3), np.int32))
    np.testing.assert_array_equal(y, [[wrapped(int(v) * factor, 4) for factor in (1, 2, 3)] for v in x])


@flyc.kernel
def pairs_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    pair = fx.make_view(fx.recast_iter(fx.Int4, fx.get_iter(x)) + i * 2, fx.make_layout(2, 1)).load()
    y[i, 0], y[i, 1] = pair[0], pair[1]


def test_two_integers_of_4_bits_are_read_from_a_byte():
    x = np.random.default_rng(2).integers(0, 256, N).astype(np.uint8)
    y = launch(pairs_kernel, x, np.zeros((N, 2), np.int32))
    np.testing.assert_array_equal(y, [[wrapped(int(v) & 15, 4), wrapped(int(v) >> 4, 4)] for v in x])


@flyc.kernel
def lone_load_kernel(x: fx.Tensor, y: fx.Tensor):
    view = fx.make_view(fx.recast_iter(fx.Int4, fx.get_iter(x)), fx.make_layout(2 * N, 1))
    y[fx.thread_idx.x] = view[fx.thread_idx.x]


@flyc.kernel
def lone_store_kernel(x: fx.Tensor, y: fx.Tensor):
    shared = fx.SharedAllocator().allocate(fx.Array[fx.Float4E2M1FN, 128])
    shared[fx.thread_idx.x] = x[fx.thread_idx.x].to(fx.Float4E2M1FN)


@flyc.kernel
def six_bits_kernel(x: fx.Tensor, y: fx.Tensor):
    view = fx.make_view(fx.recast_iter(fx.Float6E2M3FN, fx.get_iter(x)), fx.make_layout(N, 1))
    y[fx.thread_idx.x] = view[fx.thread_idx.x]


@pytest.mark.parametrize(("kernel", "message"), [
    (lone_load_kernel, r"4 bits of a tensor of i4 have no address .* access 2 neighbours at once.*\n.*\n.*view\[fx"),
    (lone_store_kernel, r"4 bits of a tensor of f4E2M1FN have no address .* access 2 neighbours.*\n.*\n.*shared\[fx"),
    (six_bits_kernel, r"6 bits of a tensor of f6E2M3FN have no address .* access 4 neighbours"),
])  # fmt: skip
def test_a_part_of_a_byte_has_no_address(kernel, message):
    with pytest.raises(IRError, match=message):
        launch(kernel, np.zeros(N, np.float32), np.zeros(N, np.float32))
