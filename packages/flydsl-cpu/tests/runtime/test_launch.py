"""Launches on the cpu runtime: what every block of a kernel sees."""

from __future__ import annotations

import ctypes
import itertools
import time

import numpy as np
import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.abi import FlyCpuBlock
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl.runtime.stream import Stream


def zeros(device: Device, shape: int | tuple[int, ...], dtype: type) -> tuple[np.ndarray, Buffer]:
    """An array and the buffer that is its memory."""
    array = np.zeros(shape, dtype)
    return array, Buffer.from_handle(array.ctypes.data, array.nbytes, device)


@pytest.fixture(params=["null stream", "created stream"])
def stream(request: pytest.FixtureRequest, device: Device) -> Stream:
    return device.default_stream if request.param == "null stream" else device.create_stream()


@pytest.mark.parametrize("grid", [1, 2, 17, 10_000, (3, 5, 7), (1, 1, 1000), (1, 4096)])
def test_every_block_runs_exactly_once(device: Device, code: ObjectCode, stream: Stream, grid: int) -> None:
    blocks = int(np.prod(grid))
    counts, memory = zeros(device, blocks, np.int32)
    launch(stream, LaunchConfig(grid, 1), code.get_kernel("count"), memory)
    stream.sync()
    assert counts.tolist() == [1] * blocks


def test_blocks_know_their_place_and_the_launch(device: Device, code: ObjectCode, stream: Stream) -> None:
    found = (FlyCpuBlock * 24)()
    memory = Buffer.from_handle(ctypes.addressof(found), ctypes.sizeof(found), device)
    launch(stream, LaunchConfig((2, 3, 4), (8, 4, 2), shmem_size=100), code.get_kernel("describe"), memory)
    stream.sync()
    for block, (z, y, x) in zip(found, itertools.product(range(4), range(3), range(2)), strict=True):
        assert (tuple(block.block_id), tuple(block.grid_dim)) == ((x, y, z), (2, 3, 4))
        assert (tuple(block.block_dim), block.dynamic_shared_bytes) == ((8, 4, 2), 100)


def test_vector_add_with_a_ragged_end(device: Device, code: ObjectCode, stream: Stream) -> None:
    rng = np.random.default_rng(7)
    n = 1_000_003
    a, b = rng.standard_normal((2, n), np.float32)
    buffers = [device.allocate(4 * n) for _ in range(3)]
    buffers[0].copy_from(a, stream=stream)
    buffers[1].copy_from(b, stream=stream)
    launch(stream, LaunchConfig(-(-n // 256), 256), code.get_kernel("add"), *buffers, n)
    result = np.empty(n, np.float32)
    buffers[2].copy_to(result, stream=stream)
    assert np.array_equal(result, a + b)


@pytest.mark.parametrize(("block", "dynamic"), [(1, 0), (37, 1000), (1024, 65536 - 256)])
def test_scratch_and_shared_memory_are_aligned_and_private(
    device: Device, code: ObjectCode, stream: Stream, block: int, dynamic: int
) -> None:
    good, memory = zeros(device, 64, np.int32)
    launch(stream, LaunchConfig(64, block, shmem_size=dynamic), code.get_kernel("memory"), memory)
    stream.sync()
    assert good.all()


def test_parameters_are_copied_and_aligned(device: Device, code: ObjectCode) -> None:
    stream = device.create_stream()
    flag, flag_memory = zeros(device, 1, np.int32)
    _, waited = zeros(device, 1, np.int32)
    aligned, aligned_memory = zeros(device, 1, np.int32)
    seen, seen_memory = zeros(device, 32, np.uint8)
    launch(stream, LaunchConfig(1, 1), code.get_kernel("wait_for"), flag_memory, waited)
    value = (ctypes.c_uint8 * 32)(*range(32))
    launch(stream, LaunchConfig(1, 1), code.get_kernel("wide"), aligned_memory, value, seen_memory)
    ctypes.memset(value, 0, 32)
    flag[0] = 1
    stream.sync()
    assert (aligned[0], seen.tolist()) == (1, list(range(32)))


@pytest.mark.parametrize(
    ("kernel", "config", "message"),
    [
        (
            "count",
            LaunchConfig(1, 1025),
            r"'count': a block of \(1025, 1, 1\) threads is above the limit of 1024 threads",
        ),
        ("count", LaunchConfig(1, (64, 64)), r"a block of \(64, 64, 1\) threads is above the limit"),
        ("count", LaunchConfig(1, (2**31, 2**31, 4)), "is above the limit of 1024 threads"),
        ("count", LaunchConfig(2**31, 1), r"grid \(2147483648, 1, 1\) .* above 2\*\*31 - 1"),
        ("count", LaunchConfig((2**31 - 1,) * 3, 1), "has too many blocks"),
        (
            "count",
            LaunchConfig(1, 1, shmem_size=65537),
            "65537 bytes of shared memory are above the limit of 65536 bytes",
        ),
        ("memory", LaunchConfig(1, 1, shmem_size=65536), "65792 bytes of shared memory are above"),
        ("greedy", LaunchConfig(1, 1), "100000 bytes of shared memory are above"),
        ("count", LaunchConfig(2, 1, cluster=2), r"clusters of \(2, 1, 1\) blocks are not supported"),
    ],
)
def test_launch_beyond_a_limit_is_an_error_that_names_it(
    device: Device, code: ObjectCode, stream: Stream, kernel: str, config: LaunchConfig, message: str
) -> None:
    with pytest.raises(RuntimeFailure, match=message):
        launch(stream, config, code.get_kernel(kernel), 0)
    stream.sync()


def test_launch_on_an_unknown_stream_is_an_error(device: Device, code: ObjectCode) -> None:
    with pytest.raises(RuntimeFailure, match="0x1234 is not a stream of this runtime"):
        launch(Stream.from_handle(0x1234, device), LaunchConfig(1, 1), code.get_kernel("count"), 0)


def test_workers_without_work_sleep(device: Device, code: ObjectCode) -> None:
    """They look out for the next launch for a moment only."""
    counts, memory = zeros(device, 1000, np.int32)
    for _ in range(10):
        launch(device.default_stream, LaunchConfig(1000, 1), code.get_kernel("count"), memory)
    time.sleep(0.05)
    before = time.process_time()
    time.sleep(0.3)
    assert time.process_time() - before < 0.15
    assert counts.tolist() == [10] * 1000
