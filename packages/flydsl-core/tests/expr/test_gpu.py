"""Indices of threads and blocks, and barriers."""

from __future__ import annotations

import numpy as np
import pytest
from interpreted import launch

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.expr import gpu


@flyc.kernel
def number_elements(x: fx.Tensor):
    bx, by, bz = fx.block_idx
    block = bx + fx.grid_dim.x * (by + fx.grid_dim.y * bz)
    t, n = fx.thread_idx, fx.block_dim
    thread = t.x + n.x * (t.y + n.y * t.z)
    x[block * (n.x * n.y * n.z) + thread] = 1000 * block + thread


def test_indices_count_threads_and_blocks_along_three_axes():
    x = np.zeros(2 * 3 * 2 * 24, np.int32)
    launch(number_elements, x, grid=(2, 3, 2), block=(4, 3, 2))
    np.testing.assert_array_equal(x, [1000 * block + thread for block in range(12) for thread in range(24)])


@pytest.mark.parametrize(
    ("index", "operation"),
    [
        (gpu.thread_idx, "gpu.thread_id"),
        (gpu.block_idx, "gpu.block_id"),
        (gpu.block_dim, "gpu.block_dim"),
        (gpu.grid_dim, "gpu.grid_dim"),
    ],
)
def test_an_axis_is_read_by_one_operation_when_asked_for(emitted, index, operation):
    run = emitted(lambda: index.y)
    assert run.names[0] == operation
    assert "#gpu<dim y>" in run.ops[0]
    assert run.result.dtype is fx.Int32
    assert emitted(lambda: index).ops == []


def test_three_numbers_are_refused_as_one():
    for use in (lambda: gpu.thread_idx + 1, lambda: gpu.thread_idx[0], lambda: gpu.thread_idx()):
        with pytest.raises(FrontendError, match=r"not one number but three; write fx\.thread_idx\.x, "):
            use()


def test_a_tuple_of_ones_own_reads_by_its_function():
    triple = gpu.Tuple3D({"x": 1, "y": 2, "z": 3}.__getitem__, fx.Int64)
    assert [int(part) for part in triple] == [1, 2, 3]
    assert {part.dtype for part in triple} == {fx.Int64}


def test_the_block_size_is_known_where_the_launch_has_constants(emitted):
    seen = []

    @flyc.kernel
    def look(x: fx.Tensor):
        seen.append(fx.known_block_size())
        x[fx.thread_idx.x] = fx.known_block_size()[0]

    x = np.zeros(24, np.int32)
    launch(look, x, block=24)
    assert seen == [(24, 1, 1)]
    assert set(x.tolist()) == {24}
    with pytest.raises(RuntimeError, match="no compile-time block size: it is not known while tracing; use block_dim"):
        emitted(gpu.known_block_size)


def test_a_barrier_is_one_operation(emitted):
    assert emitted(gpu.barrier).names == ["gpu.barrier"]
