"""Streams and events order kernels that are held up; launches beyond what a block has are errors, on the CPU."""

from __future__ import annotations

import time

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import CompileError, FlyDSLError, IRError
from flydsl.runtime.device import Device


@flyc.kernel
def gate_kernel(gate: fx.Tensor, y: fx.Tensor, value: fx.Float32):
    """y = value, once the host has opened the gate."""
    opened = fx.Int32(0)
    while opened == 0:
        opened = fx.atomic_add(fx.get_iter(gate), 0)
    y[0] = value


@flyc.jit
def gated(gate: fx.Tensor, y: fx.Tensor, value: fx.Float32, stream: fx.Stream = fx.Stream(None)):
    gate_kernel(gate, y, value).launch(grid=1, block=1, stream=stream)


@flyc.kernel
def add_kernel(x: fx.Tensor, y: fx.Tensor):
    y[fx.thread_idx.x] = y[fx.thread_idx.x] + x[fx.thread_idx.x]


@flyc.jit
def add(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    add_kernel(x, y).launch(grid=1, block=1, stream=stream)


@pytest.fixture
def streams():
    with Device(0).create_stream() as first, Device(0).create_stream() as second:
        yield first, second


def test_a_call_on_a_stream_returns_before_its_work_is_done(streams):
    gate, y = np.zeros(1, np.int32), np.zeros(1, np.float32)
    gated(gate, y, 1.0, streams[0])
    assert y[0] == 0
    gate[0] = 1
    streams[0].sync()
    assert y[0] == 1


def test_an_event_makes_one_stream_wait_for_another(streams):
    first, second = streams
    gate, x, y = np.zeros(1, np.int32), np.zeros(1, np.float32), np.full(1, 10, np.float32)
    gated(gate, x, 5.0, first)
    second.wait(first.record())
    add(x, y, second)
    gated(np.ones(1, np.int32), x, 100.0, second)
    time.sleep(0.05)
    assert (x[0], y[0]) == (0, 10)  # both wait
    gate[0] = 1
    second.sync()
    assert (x[0], y[0]) == (100, 15)


def test_time_between_events_holds_the_work_between_them(streams):
    first = streams[0]
    gate, y = np.zeros(1, np.int32), np.zeros(1, np.float32)
    start = first.record()
    gated(gate, y, 1.0, first)
    end = first.record()
    time.sleep(0.02)
    gate[0] = 1
    end.sync()
    assert y[0] == 1
    assert end - start >= 20  # milliseconds, in which the gate was closed


@flyc.kernel
def touch_kernel(y: fx.Tensor):
    y[0] = 1


@pytest.mark.parametrize(("grid", "block", "smem", "message"), [
    ((1, 1, 1), (2048, 1, 1), 0, r"a block of \(2048, 1, 1\) threads is above the limit of 1024 threads"),
    ((1, 1, 1), (64, 64, 1), 0, r"a block of \(64, 64, 1\) threads is above the limit of 1024 threads"),
    ((1, 1, 1), (1, 0, 1), 0, r"blocks \(1, 0, 1\) has an extent of 0"),
    ((2**31 - 1, 2**31 - 1, 2**31 - 1), (1, 1, 1), 0, "has too many blocks"),
    ((1, 1, 1), (1, 1, 1), 1 << 20, r"1048576 bytes of shared memory are above the limit of \d+ bytes"),
])  # fmt: skip
def test_a_launch_beyond_a_limit_is_an_error_and_touches_nothing(grid, block, smem, message):
    @flyc.jit
    def host(
        y: fx.Tensor, gx: fx.Int32, gy: fx.Int32, gz: fx.Int32, bx: fx.Int32, by: fx.Int32, bz: fx.Int32, s: fx.Int32
    ):
        touch_kernel(y).launch(grid=(gx, gy, gz), block=(bx, by, bz), smem=s)

    y = np.zeros(1, np.float32)
    with pytest.raises(FlyDSLError, match=message):
        host(y, *grid, *block, smem)
    assert y[0] == 0


def test_more_alignment_of_shared_memory_than_the_cpu_has_raises() -> None:
    @flyc.kernel
    def page(x: fx.Tensor):
        fx.SharedAllocator().allocate(fx.Array[fx.Float32, 32], alignment=32768)[0] = x[0]

    @flyc.jit
    def host(x: fx.Tensor):
        page(x).launch(grid=1, block=1)

    with pytest.raises((CompileError, IRError), match="32768"):
        host(np.zeros(1, np.float32))
