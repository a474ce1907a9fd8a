"""jax arrays as inputs of `@flyc.jit` functions on each target: right numbers, and no array ever changes.

A simulated GPU uses arrays of the host where they are, without copies.
"""

from __future__ import annotations

import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from support.kernels import scale
from support.on_targets import pytest_generate_tests, target

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import UnsupportedTensorError
from flydsl.jax import from_jax

__all__ = ["pytest_generate_tests", "target"]


@flyc.kernel
def rows_kernel(a: fx.Tensor, c: fx.Tensor):
    i, j = fx.block_idx.x, fx.thread_idx.x
    c[i, j] = a[i, j] * 2


@flyc.jit
def double_rows(a: fx.Tensor, c: fx.Tensor):
    rows_kernel(a, c).launch(grid=c.shape[0], block=c.shape[1])


def test_arrays_are_read_in_place():
    for length in (1, 63, 64, 257):
        x, y = jnp.arange(length, dtype=jnp.float32) - 3, np.zeros(length, np.float32)
        scale(x, y, 3.0, length)
        np.testing.assert_array_equal(y, np.asarray(x) * 3)


def test_an_array_in_another_order_is_read_by_its_strides():
    from jax.experimental.layout import Format, Layout

    plain = jnp.arange(15.0).reshape(3, 5)
    other = jax.device_put(plain, Format(Layout((1, 0)), plain.sharding))
    for x in (plain, other, from_jax(plain), from_jax(other).mark_layout_dynamic()):
        y = np.zeros((3, 5), np.float32)
        double_rows(x, y)
        np.testing.assert_array_equal(y, np.asarray(plain) * 2)


def test_an_array_that_is_still_computed_is_waited_for():
    slow = jax.jit(lambda x: jax.lax.fori_loop(0, 40, lambda _, y: y @ y / 512, x))
    value = jnp.ones((512, 512))
    expected = np.asarray(slow(value))[0] * 3
    for _ in range(3):
        pending, y = slow(value), np.zeros(512, np.float32)
        scale(from_jax(pending).tensor[0], y, 3.0, 512)
        np.testing.assert_array_equal(y, expected)


def test_an_array_that_the_kernel_writes_is_refused_by_the_name_of_its_argument():
    x, y = np.ones(8, np.float32), jnp.zeros(8)
    for output in (y, from_jax(y)):
        with pytest.raises(UnsupportedTensorError, match=r"argument 'y': .*and scale writes to it; .*flydsl.jax.call"):
            scale(x, output, 3.0, 8)
    np.testing.assert_array_equal(y, 0)


def test_a_tracer_is_refused_before_and_after_an_array_was_passed():
    y = np.zeros(8, np.float32)
    for _ in range(2):
        with pytest.raises(UnsupportedTensorError, match=r"a jax tracer .*flydsl.jax.call"):
            jax.jit(lambda x: scale(x, y, 3.0, 8))(jnp.ones(8))
        scale(jnp.ones(8), y, 3.0, 8)


def test_an_array_that_is_gone_is_refused_where_one_like_it_was_passed():
    x, y = jnp.ones(8), np.zeros(8, np.float32)
    scale(x, y, 3.0, 8)
    x.delete()
    with pytest.raises(UnsupportedTensorError, match="deleted or donated"):
        scale(x, y, 3.0, 8)


def test_a_sharded_array_is_refused_where_one_like_it_was_passed():
    x, y = jnp.arange(8.0), np.zeros(8, np.float32)
    scale(x, y, 3.0, 8)
    mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
    with pytest.raises(UnsupportedTensorError, match="spread over 4 devices"):
        scale(jax.device_put(x, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("x"))), y, 3.0, 8)


def test_threads_share_one_function():
    x = [jnp.full(100, index, jnp.float32) for index in range(8)]
    y = [np.zeros(100, np.float32) for _ in x]
    barrier = threading.Barrier(len(x))

    def work(index: int) -> None:
        barrier.wait()
        for _ in range(20):
            scale(x[index], y[index], 2.0, 100)

    threads = [threading.Thread(target=work, args=(index,)) for index in range(len(x))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == 2 * index).all() for index, result in enumerate(y))
