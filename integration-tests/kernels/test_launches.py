"""Grids, blocks, streams, barriers, shared memory and several kernels in one host function."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.runtime.device import Device


@flyc.kernel
def places_kernel(y: fx.Tensor):
    b, t, n, g = fx.block_idx, fx.thread_idx, fx.block_dim, fx.grid_dim
    block = (b.z * g.y + b.y) * g.x + b.x
    thread = (t.z * n.y + t.y) * n.x + t.x
    y[block * (n.x * n.y * n.z) + thread] = block * 1000 + thread


@flyc.jit
def places(y: fx.Tensor, gx: fx.Int32, gy: fx.Int32, gz: fx.Int32, bx: fx.Int32, by: fx.Int32, bz: fx.Int32):
    places_kernel(y).launch(grid=(gx, gy, gz), block=(bx, by, bz))


@flyc.jit
def fixed_places(y: fx.Tensor):
    places_kernel(y).launch(grid=(2, 3, 2), block=(4, 2, 3))


def expected_places(blocks: int, threads: int) -> np.ndarray:
    return (np.arange(blocks)[:, None] * 1000 + np.arange(threads)).ravel()


@pytest.mark.parametrize("grid, block", [((1, 1, 1), (1, 1, 1)), ((3, 2, 2), (5, 3, 2)), ((1, 1, 7), (1, 8, 1))])
def test_dynamic_grids_and_blocks_reach_every_place_once(grid, block):
    blocks, threads = int(np.prod(grid)), int(np.prod(block))
    y = np.full(blocks * threads, -1, np.int32)
    places(y, *grid, *block)
    np.testing.assert_array_equal(y, expected_places(blocks, threads))


def test_static_grids_and_blocks_reach_every_place_once():
    y = np.full(12 * 24, -1, np.int32)
    fixed_places(y)
    np.testing.assert_array_equal(y, expected_places(12, 24))


@flyc.kernel
def reverse_kernel(x: fx.Tensor, y: fx.Tensor):
    i, base, n = fx.thread_idx.x, fx.block_idx.x * fx.block_dim.x, fx.block_dim.x
    y[base + i] = x[base + i] * 2.0
    fx.barrier()
    value = y[base + n - 1 - i]
    fx.barrier()
    y[base + i] = value


@flyc.kernel
def add_kernel(x: fx.Tensor, y: fx.Tensor, amount: fx.Constexpr[float]):
    i = fx.block_idx.x * fx.block_dim.x + fx.thread_idx.x
    y[i] = y[i] + x[i] * amount


@flyc.jit
def several(x: fx.Tensor, y: fx.Tensor, blocks: fx.Int32, stream: fx.Stream = fx.Stream(None)):
    reverse_kernel(x, y).launch(grid=blocks, block=16, stream=stream)
    add_kernel(x, y, 3.0).launch(grid=blocks, block=16, stream=stream)
    add_kernel(x, y, 0.5).launch(grid=blocks, block=16, stream=stream)


def expected_several(x: np.ndarray) -> np.ndarray:
    return (x.reshape(-1, 16)[:, ::-1] * 2).ravel() + x * 3 + x * 0.5


def test_kernels_of_one_host_function_run_in_order():
    x = np.arange(80, dtype=np.float32)
    y = np.zeros_like(x)
    several(x, y, 5)
    np.testing.assert_array_equal(y, expected_several(x))


def test_a_stream_orders_launches():
    device = Device()
    x = np.arange(16 * 40, dtype=np.float32)
    with device.create_stream() as stream:
        results = [np.zeros_like(x) for _ in range(5)]
        for y in results:
            several(x, y, 40, stream)
        several(x, results[0], 40, fx.Stream(stream))
        stream.sync()
    for y in results:
        np.testing.assert_array_equal(y, expected_several(x))


@flyc.kernel(known_block_size=(8, 1, 1))
def known_kernel(y: fx.Tensor):
    y[fx.thread_idx.x] = fx.block_dim.x


def test_a_declared_block_size_is_checked():
    @flyc.jit
    def right(y: fx.Tensor, n: fx.Int32):
        known_kernel(y).launch(grid=1, block=8)

    @flyc.jit
    def wrong(y: fx.Tensor):
        known_kernel(y).launch(grid=1, block=16)

    y = np.zeros(8, np.int32)
    right(y, 8)
    np.testing.assert_array_equal(y, 8)
    with pytest.raises(FrontendError, match=r"known_block_size \(8, 1, 1\), launched with block \(16, 1, 1\)"):
        wrong(y)


@flyc.kernel
def shape_kernel(y: fx.Tensor, values):
    y[0] = values[0][0] + values[1] if isinstance(values[0], tuple) else values[0] * 100.0


@flyc.jit
def nested_arguments(y: fx.Tensor, z: fx.Tensor):
    shape_kernel(y, ((1.0, 2.0), 3.0)).launch(grid=1, block=1)
    shape_kernel(z, (1.0, (2.0, 3.0))).launch(grid=1, block=1)


def test_arguments_of_equal_parts_and_other_structure_are_other_kernels():
    y, z = np.zeros(1, np.float32), np.zeros(1, np.float32)
    nested_arguments(y, z)
    assert (y[0], z[0]) == (4.0, 100.0)


@flyc.kernel
def typed_kernel(y: fx.Tensor, dtype: fx.Constexpr, place: fx.Constexpr[int]):
    y[place] = dtype(fx.Int64(300))  # which keeps the low bits of what is too wide


@flyc.jit
def types(y: fx.Tensor):
    typed_kernel(y, fx.Uint8, 0).launch(grid=1, block=1)
    typed_kernel(y, fx.Int16, 1).launch(grid=1, block=1)
    typed_kernel(y, fx.Float16, 2).launch(grid=1, block=1)


def test_a_type_can_be_a_compile_time_argument():
    y = np.zeros(3, np.float32)
    types(y)
    np.testing.assert_array_equal(y, [44, 300, 300])


@flyc.kernel
def constant_kernel(y: fx.Tensor, value: fx.Constexpr):
    y[0] = 1.0 / value[0] if value[0] else (2.0 if value[0] is False else 3.0)


@flyc.jit
def constants(y: fx.Tensor, value: fx.Constexpr):
    constant_kernel(y, value).launch(grid=1, block=1)


def test_compile_time_arguments_that_are_equal_and_not_the_same_are_told_apart():
    y = np.zeros(1, np.float32)
    for value, expected in (((1,), 1.0), ((False,), 2.0), ((0,), 3.0), ((0.0,), 3.0), ((False,), 2.0), ((-2.0,), -0.5)):
        constants(y, value)
        assert y[0] == expected, value


@flyc.jit
def on_two_streams(x: fx.Tensor, y: fx.Tensor, z: fx.Tensor, one: fx.Stream, two: fx.Stream = fx.Stream(None)):
    add_kernel(x, y, 2.0).launch(grid=4, block=16, stream=one)
    add_kernel(x, z, 3.0).launch(grid=4, block=16, stream=two)
    add_kernel(x, y, 4.0).launch(grid=4, block=16, stream=one)


def test_launches_of_one_function_go_to_the_streams_they_name():
    device = Device()
    x = np.arange(64, dtype=np.float32)
    with device.create_stream() as one, device.create_stream() as two:
        for second in (two, one, None):
            y, z = np.zeros_like(x), np.zeros_like(x)
            on_two_streams(x, y, z, one, second)
            one.sync()
            two.sync()
            np.testing.assert_array_equal(y, x * 6)
            np.testing.assert_array_equal(z, x * 3)
