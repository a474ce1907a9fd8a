"""The interpreter reports what threads do to each other without order, and waits that never end."""

from __future__ import annotations

import numpy as np
import pytest
from support.interpreting import N, launch, line_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import (
    DataRaceError,
    SynchronizationError,
)


def test_two_threads_that_write_one_place_race():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        word = fx.SharedAllocator().allocate(fx.Array[fx.Int32, 1])
        word[0] = fx.thread_idx.x  # write and write

    with pytest.raises(DataRaceError, match="data race on shared memory") as caught:
        launch(kernel, np.zeros(N, np.float32))
    message = str(caught.value)
    assert "thread (1, 0, 0) of block (0, 0, 0) writes it" in message
    assert "thread (0, 0, 0) of block (0, 0, 0) writes it" in message
    assert (
        message.count(f"test_interpreter_races.py:{line_of(__file__, 'write and write')}:") == 2
    )  # one for each thread


@pytest.mark.parametrize("with_barrier", [True, False])
def test_a_read_without_a_barrier_behind_the_write_races(with_barrier: bool):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        i = fx.thread_idx.x
        words = fx.SharedAllocator().allocate(fx.Array[fx.Float32, N])
        words[i] = x[i]  # the write
        if fx.const_expr(with_barrier):
            fx.barrier()
        x[i] = words[i // 2]  # the read

    x = np.arange(N, dtype=np.float32)
    if with_barrier:
        launch(kernel, x)
        np.testing.assert_array_equal(x, np.arange(N) // 2)
        return
    with pytest.raises(DataRaceError) as caught:
        launch(kernel, x)
    assert f":{line_of(__file__, 'the write')}:" in str(caught.value)
    assert f":{line_of(__file__, 'the read')}:" in str(caught.value)


def test_threads_of_one_block_race_on_a_tensor():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        x[fx.thread_idx.x] = x[(fx.thread_idx.x + 1) % N]

    with pytest.raises(DataRaceError, match="data race on tensor 'x'"):
        launch(kernel, np.zeros(N, np.float32))


@pytest.mark.parametrize("atomic", [True, False])
def test_blocks_meet_in_a_tensor_by_atomics_only(atomic: bool):
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.const_expr(atomic):
            fx.atomic_add(fx.get_iter(x), 1)
        else:
            x[0] = x[0] + 1

    x = np.zeros(1, np.int32)
    if atomic:
        launch(kernel, x, grid=5, block=3)
        assert x[0] == 15
        return
    with pytest.raises(DataRaceError) as caught:
        launch(kernel, x, grid=5, block=1)
    assert "of block (1, 0, 0) reads it" in str(caught.value)
    assert "of block (0, 0, 0) writes it" in str(caught.value)


@pytest.mark.parametrize("fenced", [True, False])
def test_the_last_block_may_read_what_the_others_released(fenced: bool):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        block = fx.block_idx.x
        x[block] = block + 1
        if fx.const_expr(fenced):
            fx.memory_fence()
        done = fx.atomic_add(fx.get_iter(y), 1)
        if fx.const_expr(fenced):
            fx.memory_fence()
        if done == 3:
            total = 0
            for k in range(4):
                total = total + x[k]
            y[1] = total

    x, y = np.zeros(4, np.int32), np.zeros(2, np.int32)
    if fenced:
        launch(kernel, x, y, grid=4, block=1)
        assert y.tolist() == [4, 10]
        return
    with pytest.raises(DataRaceError, match="data race on tensor 'x'"):
        launch(kernel, x, y, grid=4, block=1)


def test_tensors_that_overlap_race():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        y[fx.thread_idx.x] = x[fx.thread_idx.x]

    x = np.zeros(N + 1, np.float32)
    with pytest.raises(DataRaceError):
        launch(kernel, x[:N], x[1:])


def test_a_barrier_that_some_threads_do_not_reach():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.thread_idx.x < 5:
            fx.barrier()  # divergent
        x[fx.thread_idx.x] = fx.Float32(0.0)

    with pytest.raises(SynchronizationError, match="waits at a barrier where not every thread comes") as caught:
        launch(kernel, np.zeros(N, np.float32))
    assert "thread (5, 0, 0) of block (0, 0, 0) has ended" in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "divergent")


def test_threads_that_wait_at_two_barriers():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        if fx.thread_idx.x < 5:
            fx.barrier()
        else:
            fx.barrier()  # the other barrier

    with pytest.raises(
        SynchronizationError, match=r"thread \(5, 0, 0\) of block \(0, 0, 0\) waits at a barrier"
    ) as caught:
        launch(kernel, np.zeros(N, np.float32))
    assert f":{line_of(__file__, 'the other barrier')}:" in str(caught.value)


def test_waiting_for_what_no_one_will_write_is_a_deadlock():
    @flyc.kernel
    def kernel(x: fx.Tensor):
        flag = fx.generic_load(fx.get_iter(x), memory_order=fx.AtomicOrdering.Acquire)
        while flag == 0:
            flag = fx.generic_load(fx.get_iter(x), memory_order=fx.AtomicOrdering.Acquire)  # waits for ever

    with pytest.raises(SynchronizationError, match="deadlock") as caught:
        launch(kernel, np.zeros(1, np.int32), block=2)
    assert caught.value.location is not None
    assert caught.value.location.line == line_of(__file__, "waits for ever")


def test_waiting_for_another_thread_of_the_block_ends():
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        pointer = fx.get_iter(x)
        if fx.thread_idx.x == 0:
            flag = fx.generic_load(pointer, memory_order=fx.AtomicOrdering.Acquire)
            while flag == 0:
                flag = fx.generic_load(pointer, memory_order=fx.AtomicOrdering.Acquire)
            y[1] = y[0] + 1
        else:
            y[0] = 41
            fx.generic_store(pointer, 1, memory_order=fx.AtomicOrdering.Release)

    x, y = np.zeros(1, np.int32), np.zeros(2, np.int32)
    launch(kernel, x, y, block=2)
    assert y.tolist() == [41, 42]
