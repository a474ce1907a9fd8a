"""Streams and events of the cpu runtime: order, overlap, waiting, lifetime, threads and processes."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.runtime.event import Event
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl.runtime.stream import Stream

ONE = LaunchConfig(1, 1)


class Cells:
    """Memory cells that kernels and the test share."""

    def __init__(self, device: Device, count: int = 4, dtype: type = np.int32) -> None:
        self.values = np.zeros(count, dtype)
        size = self.values.itemsize
        base = self.values.ctypes.data
        self.buffers = [Buffer.from_handle(base + i * size, size, device) for i in range(count)]


def chain(values: list[int]) -> int:
    x = 0
    for value in values:
        x = (3 * x + value) % 2**64
    return x


def test_work_of_one_stream_runs_in_order(device: Device, code: ObjectCode) -> None:
    cells = Cells(device, 1, np.uint64)
    stream = device.create_stream()
    for i in range(500):
        launch(stream, ONE, code.get_kernel("chain"), cells.buffers[0], i)
    stream.sync()
    assert int(cells.values[0]) == chain(list(range(500)))


def test_launch_on_a_created_stream_returns_before_it_ends(device: Device, code: ObjectCode) -> None:
    cells, stream = Cells(device), device.create_stream()
    launch(stream, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    assert cells.values[1] == 0
    cells.values[0] = 1
    stream.sync()
    assert cells.values[1] == 1


def test_created_streams_do_not_hold_up_the_null_stream(device: Device, code: ObjectCode) -> None:
    cells, stream = Cells(device), device.create_stream()
    launch(stream, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    launch(device.default_stream, ONE, code.get_kernel("set"), cells.buffers[0])
    assert cells.values[0] == 1
    device.sync()
    assert cells.values[1] == 1


OVERLAP = """
import sys
sys.path.insert(0, sys.argv[1])
from test_stream import Cells, ONE
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import launch
from flydsl_cpu.runtime.device_runtime import CpuRuntime
device = Device(runtime=CpuRuntime())
code = ObjectCode.load(device, open(sys.argv[2], "rb").read(), ["wait_for", "set"])
cells = Cells(device)
first, second = device.create_stream(), device.create_stream()
launch(first, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
launch(second, ONE, code.get_kernel("set"), cells.buffers[0])
device.sync()
print(device.name.rpartition("(")[2], cells.values[1])
"""


def test_streams_overlap_when_there_are_two_threads(image: bytes, tmp_path: Path) -> None:
    (tmp_path / "kernels.so").write_bytes(image)
    command = [sys.executable, "-c", OVERLAP, str(Path(__file__).parent), str(tmp_path / "kernels.so")]
    environment = {**os.environ, "FLYDSL_CPU_THREADS": "2"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "2 threads) 1\n"


def test_stream_waits_for_the_event_of_another(device: Device, code: ObjectCode) -> None:
    cells = Cells(device)
    order = Cells(device, 1, np.uint64)
    first, second = device.create_stream(), device.create_stream()
    launch(first, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    launch(first, ONE, code.get_kernel("chain"), order.buffers[0], 1)
    second.wait(first)
    launch(second, ONE, code.get_kernel("chain"), order.buffers[0], 2)
    cells.values[0] = 1
    second.sync()
    assert int(order.values[0]) == chain([1, 2])


def test_waiting_means_the_recording_before_the_wait(device: Device, code: ObjectCode) -> None:
    cells = Cells(device)
    first, second, event = device.create_stream(), device.create_stream(), device.create_event()
    first.record(event)
    second.wait(event)
    launch(first, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    first.record(event)
    second.sync()
    assert cells.values[1] == 0
    cells.values[0] = 1
    event.sync()
    assert cells.values[1] == 1


def test_event_that_was_never_recorded_holds_nothing_up(device: Device) -> None:
    stream, event = device.create_stream(), device.create_event()
    stream.wait(event)
    stream.sync()
    event.sync()


def test_streams_pass_a_value_around_in_order(device: Device, code: ObjectCode) -> None:
    order = Cells(device, 1, np.uint64)
    streams = [device.create_stream() for _ in range(5)]
    for i in range(200):
        current, following = streams[i % 5], streams[(i + 1) % 5]
        launch(current, ONE, code.get_kernel("chain"), order.buffers[0], i)
        following.wait(current)
    streams[0].sync()
    assert int(order.values[0]) == chain(list(range(200)))


def test_time_between_events_covers_the_work_between_them(device: Device, code: ObjectCode) -> None:
    counts = np.zeros(50_000, np.int32)
    memory = Buffer.from_handle(counts.ctypes.data, counts.nbytes, device)
    stream = device.create_stream()
    start = stream.record()
    launch(stream, LaunchConfig(50_000, 1), code.get_kernel("count"), memory)
    end = stream.record()
    end.sync()
    assert end - start > 0
    assert counts.all()
    assert start - end == -(end - start)


def test_time_of_an_incomplete_or_unrecorded_event_is_an_error(device: Device, code: ObjectCode) -> None:
    cells, stream = Cells(device), device.create_stream()
    start, unrecorded = device.default_stream.record(), device.create_event()
    launch(stream, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    end = stream.record()
    with pytest.raises(RuntimeFailure, match="is not complete"):
        _ = end - start
    with pytest.raises(RuntimeFailure, match="was never recorded"):
        _ = unrecorded - start
    cells.values[0] = 1
    stream.sync()
    assert end - start > 0


def test_stream_closed_with_work_left_still_runs_it(device: Device, code: ObjectCode) -> None:
    cells, stream = Cells(device), device.create_stream()
    launch(stream, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    launch(stream, ONE, code.get_kernel("set"), cells.buffers[2])
    stream.close()
    cells.values[0] = 1
    device.sync()
    assert cells.values.tolist() == [1, 1, 1, 0]


def test_memory_is_freed_only_after_the_work_that_was_queued(device: Device, code: ObjectCode) -> None:
    cells, stream = Cells(device), device.create_stream()
    buffer = device.allocate(4)
    buffer.fill(0)
    launch(stream, ONE, code.get_kernel("wait_for"), cells.buffers[0], cells.buffers[1])
    launch(stream, ONE, code.get_kernel("set"), buffer)
    with ThreadPoolExecutor(1) as pool:
        closing = pool.submit(buffer.close)
        cells.values[0] = 1
        closing.result()
    assert cells.values[1] == 1


@pytest.mark.parametrize("call", ["sync", "record", "wait"])
def test_unknown_handles_are_errors(device: Device, call: str) -> None:
    stream, event = Stream.from_handle(0x99, device), Event.from_handle(0x98, device)
    with pytest.raises(RuntimeFailure, match=r"0x9[89] is not (a stream|an event) of this runtime"):
        getattr(stream, call)(*([event] if call != "sync" else []))


def test_sixteen_threads_share_one_kernel(device: Device, code: ObjectCode) -> None:
    def work(seed: int) -> bool:
        rng = np.random.default_rng(seed)
        stream = device.create_stream() if seed % 2 else device.default_stream
        good = True
        for n in rng.integers(1, 5000, 25).tolist():
            a, b = rng.standard_normal((2, n), np.float32)
            result = np.empty(n, np.float32)
            memory = [Buffer.from_handle(x.ctypes.data, x.nbytes, device) for x in (a, b, result)]
            launch(stream, LaunchConfig(-(-n // 64), 64), code.get_kernel("add"), *memory, n)
            stream.sync()
            good &= np.array_equal(result, a + b)
        return good

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


@pytest.mark.filterwarnings(
    "ignore:os.fork:RuntimeWarning"
)  # threads of JAX, when a test had some, hold no lock of ours
def test_forked_child_has_threads_of_its_own(device: Device, code: ObjectCode) -> None:
    counts = np.zeros(1000, np.int32)
    memory = Buffer.from_handle(counts.ctypes.data, counts.nbytes, device)
    launch(device.default_stream, LaunchConfig(1000, 1), code.get_kernel("count"), memory)
    child = os.fork()
    if child == 0:  # no assertion may leave the child
        stream = device.create_stream()
        launch(device.default_stream, LaunchConfig(1000, 1), code.get_kernel("count"), memory)
        launch(stream, LaunchConfig(1000, 1), code.get_kernel("count"), memory)
        stream.sync()
        os._exit(0 if (counts == 3).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert (counts == 1).all()
