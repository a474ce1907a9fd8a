"""Buffers over a runtime whose device memory is host memory."""

from __future__ import annotations

import numpy as np
import pytest

from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl.testing.fake_runtime import FakeRuntime

DATA = bytes(range(200))


@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint16).reshape(10, 10)])
def test_host_memory_makes_the_round_trip(wrap: object) -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(len(DATA))
    assert callable(wrap)
    buffer.copy_from(wrap(DATA))
    result = bytearray(len(DATA))
    buffer.copy_to(result)
    assert bytes(result) == DATA


def test_arrays_are_filled_in_place() -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(12)
    buffer.copy_from(np.array([1.5, -2.0, 3.0], np.float32))
    result = np.zeros((3, 1), np.float32)
    buffer.copy_to(result)
    assert result[:, 0].tolist() == [1.5, -2.0, 3.0]


def test_copy_with_host_memory_is_complete_on_return() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    buffer, stream = device.allocate(4), device.create_stream()
    buffer.copy_from(b"abcd", stream=stream)
    copy, wait = runtime.calls[-2:]
    assert (copy[0], copy[3:]) == ("copy", (4, stream.handle, CopyKind.HOST_TO_DEVICE))
    assert wait == ("synchronize_stream", stream.handle)


@pytest.mark.parametrize("size", [-1, 1 << 63, 1.5, "8", None])
def test_sizes_that_are_none_are_refused(size: object) -> None:
    with pytest.raises(ArgumentError, match=r"a buffer has from 0 to 2\*\*63 - 1 bytes, an integer; found"):
        Device(runtime=FakeRuntime()).allocate(size)  # type: ignore[arg-type]


def test_copy_between_buffers_is_only_enqueued() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    source, target = device.allocate(8), device.allocate(8)
    source.copy_from(b"12345678")
    target.copy_from(source)
    assert runtime.calls[-1] == ("copy", target.handle, source.handle, 8, 0, CopyKind.DEVICE_TO_DEVICE)
    result = bytearray(8)
    target.copy_to(result)
    assert result == b"12345678"


@pytest.mark.parametrize("direction", ["copy_from", "copy_to"])
def test_copy_beyond_the_buffer_is_refused(direction: str) -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(8)
    with pytest.raises(RuntimeFailure, match="a copy of 9 bytes exceeds a buffer of 8 bytes"):
        getattr(buffer, direction)(bytearray(9))


@pytest.mark.parametrize(
    ("target", "message"),
    [(b"1234", "writable and C-contiguous"), (np.zeros((4, 4), np.uint8)[:, ::2], "writable and C-contiguous")],
)
def test_host_memory_that_cannot_be_filled_is_refused(target: object, message: str) -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(8)
    with pytest.raises(ArgumentError, match=message):
        buffer.copy_to(target)


def test_empty_copies_do_nothing() -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(0)
    buffer.copy_from(b"")
    buffer.copy_to(np.zeros((0, 3)))


def test_fill_sets_every_byte_and_takes_only_bytes() -> None:
    buffer = Device(runtime=FakeRuntime()).allocate(4)
    buffer.fill(0xAB)
    result = bytearray(4)
    buffer.copy_to(result)
    assert result == b"\xab" * 4
    with pytest.raises(ArgumentError, match="a byte from 0 to 255, got 256"):
        buffer.fill(256)


def test_memory_is_freed_once_and_foreign_memory_never() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    with device.allocate(16) as buffer:
        foreign = Buffer.from_handle(buffer.handle, 16, device)
        foreign.close()
        assert runtime.memory
    buffer.close()
    assert runtime.memory == {}
    with pytest.raises(RuntimeFailure, match="this buffer is closed"):
        buffer.fill(0)
