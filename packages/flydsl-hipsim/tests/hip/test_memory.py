"""Allocations, copies and fills of the simulated HIP: what is read back, and what is refused with which words."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def kinds(hip: Any) -> Any:
    return hip.module.hipMemcpyKind


@pytest.mark.parametrize("size", [1, 255, 4096, (1 << 20) + 3])
def test_bytes_go_in_and_come_out(hip: Any, size: int) -> None:
    data, address = np.random.default_rng(size).bytes(size), hip.malloc(size)
    hip.write(address, data)
    assert hip.read(address, size) == data
    hip.hipFree(address)


def test_new_memory_holds_no_numbers(hip: Any) -> None:
    address = hip.malloc(400)
    assert np.isnan(np.frombuffer(hip.read(address, 400), np.float32)).all()
    hip.hipFree(address)


def test_rows_are_copied_and_set_between_pitches(hip: Any, kinds: Any) -> None:
    source = np.arange(5 * 7, dtype=np.uint8).reshape(5, 7)
    address = hip.malloc(5 * 16)
    hip.hipMemset(address, 0xAA, 5 * 16)
    hip.hipMemcpy2D(address, 16, source, 7, 7, 5, kinds.hipMemcpyHostToDevice)
    hip.hipMemset2D(address + 8, 16, 3, 4, 5)
    expected = np.full((5, 16), 0xAA, np.uint8)
    expected[:, :7], expected[:, 8:12] = source, 3
    np.testing.assert_array_equal(np.frombuffer(hip.read(address, 80), np.uint8).reshape(5, 16), expected)
    with pytest.raises(Exception, match="rows of 17 bytes are 16 bytes apart"):
        hip.hipMemset2D(address, 16, 0, 17, 4)
    hip.hipFree(address)


def test_rows_that_no_memory_holds_are_refused(hip: Any, error: Any) -> None:
    for width, height in ((1 << 33, 1 << 33), (2**64 - 1, 1)):
        with pytest.raises(error, match=f"out of memory: {height} rows of {width} bytes were asked for"):
            hip.hipMallocPitch(width, height)


def test_words_are_set(hip: Any) -> None:
    address = hip.malloc(64)
    hip.hipMemset(address, 0, 64)
    hip.hipMemsetD32(address, 0x01020304, 3)
    hip.hipMemsetD16(address + 16, 0x0506, 2)
    words = np.frombuffer(hip.read(address, 64), np.uint32)
    assert list(words[:5]) == [0x01020304] * 3 + [0, 0x05060506]
    hip.hipFree(address)


def test_devices_copy_to_each_other(hipsim: Any, hip: Any) -> None:
    first = hip.malloc(100)
    hip.write(first, bytes(range(100)))
    hip.hipSetDevice(1)
    second = hip.malloc(100)
    assert hip.hipDeviceCanAccessPeer(1, 0) == 1
    hip.hipMemcpyPeer(second, 1, first, 0, 100)
    assert hip.read(second, 100) == bytes(range(100))
    assert hip.hipPointerGetAttributes(second).device == 1
    hip.hipFree(first)
    hip.hipFree(second)


def test_pointers_say_what_they_are(hip: Any) -> None:
    device, pinned = hip.malloc(10), int(hip.hipHostMalloc(10, 0))
    found = hip.hipPointerGetAttributes(device + 5)
    assert (found.type, found.device, int(found.devicePointer)) == (
        hip.module.hipMemoryType.hipMemoryTypeDevice,
        0,
        device + 5,
    )
    assert hip.hipPointerGetAttributes(pinned).type == hip.module.hipMemoryType.hipMemoryTypeHost
    ordinary = ctypes.create_string_buffer(8)
    attributes = hip.hipPointerGetAttributes(ctypes.addressof(ordinary))
    assert attributes.type == hip.module.hipMemoryType.hipMemoryTypeUnregistered
    base, size = hip.hipMemGetAddressRange(device + 9)
    assert (int(base), size) == (device, 10)
    hip.hipFree(device)
    hip.hipHostFree(pinned)


def test_memory_in_use_is_counted_and_an_excess_is_refused(hip: Any, error: Any) -> None:
    before, total = hip.hipMemGetInfo()
    address = hip.malloc(1000)
    assert hip.hipMemGetInfo() == (before - 1000, total)
    with pytest.raises(error, match=f"out of memory: {total} bytes were asked for, device 0 has {before - 1000} of"):
        hip.malloc(total)
    hip.hipFree(address)
    assert hip.hipMemGetInfo() == (before, total)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda hip, a: hip.read(a, 101),
            "the source runs over the end of its allocation: 101 bytes at offset 0 of 100",
        ),
        (
            lambda hip, a: hip.write(a + 60, bytes(41)),
            "the destination runs over the end .* 41 bytes at offset 60 of 100",
        ),
        (lambda hip, a: hip.hipMemset(a, 0, 101), "the destination runs over the end"),
        (lambda hip, a: hip.read(0, 4), "the source is a null pointer"),
        (lambda hip, a: hip.hipMemset(id(hip), 0, 4), "is no device memory"),
        (lambda hip, a: hip.hipMemsetD32(a, 0, 26), "104 bytes at offset 0 of 100"),
    ],
)
def test_a_range_outside_of_an_allocation_is_refused(hip: Any, error: Any, call: Any, words: str) -> None:
    address = hip.malloc(100)
    with pytest.raises(error, match=words) as caught:
        call(hip, address)
    assert caught.value.code == 1
    hip.hipFree(address)


def test_wrong_frees_are_refused_and_reported(hipsim: Any, hip: Any, error: Any) -> None:
    address, pinned = hip.malloc(100), int(hip.hipHostMalloc(10, 0))
    with pytest.raises(error, match="inside of allocation"):
        hip.hipFree(address + 16)
    with pytest.raises(error, match="not one that this call frees"):
        hip.hipFree(pinned)
    hip.hipFree(address)
    hip.hipHostFree(pinned)
    with pytest.raises(error, match=r"hipFree\(.*\): freed already \(allocation \d+ of 100 bytes\)"):
        hip.hipFree(address)
    with pytest.raises(error, match="no allocation"):
        hip.hipFree(4096)
    with pytest.raises(error, match="is in freed memory"):
        hip.read(address, 4)
    misuses = [line for line in hipsim.report() if line.startswith("misuse: ")]
    assert len(misuses) == 5
    assert f"misuse: hipFree({address:#x}): freed already" in misuses[2]


def test_leaks_are_listed_until_they_are_freed(hipsim: Any, hip: Any) -> None:
    address = hip.malloc(12345)
    assert any(
        line.startswith(f"leaked: 12345 bytes at {address:#x} of device 0 (hipMalloc") for line in hipsim.report()
    )
    hip.hipFree(address)
    assert not any("12345 bytes" in line for line in hipsim.report())


def test_freeing_nothing_and_copies_of_nothing_are_allowed(hip: Any, kinds: Any) -> None:
    hip.hipFree(0)
    hip.hipMemcpy(0, 0, 0, kinds.hipMemcpyDeviceToDevice)
    assert not hip.hipMalloc(0)


def test_registered_memory_of_the_host_is_device_memory_until_unregistered(hip: Any, error: Any) -> None:
    data = np.zeros(16, np.uint8)
    address = data.ctypes.data
    hip.hipHostRegister(address, 16, 0)
    hip.hipMemset(address, 7, 16)
    assert (data == 7).all()
    with pytest.raises(error, match="already registered"):
        hip.hipHostRegister(address, 16, 0)
    hip.hipHostUnregister(address)
    with pytest.raises(error, match="is no device memory"):
        hip.hipMemset(address, 8, 16)
    with pytest.raises(error, match="not registered"):
        hip.hipHostUnregister(address)


def test_memory_in_stream_order_comes_and_goes_with_the_stream(hip: Any, streams: list[int], error: Any) -> None:
    free, _ = hip.hipMemGetInfo()
    address = int(hip.hipMallocAsync(1000, streams[0]))
    hip.hipMemsetAsync(address, 5, 1000, streams[0])
    hip.hipStreamSynchronize(streams[0])
    assert hip.read(address, 1000) == b"\5" * 1000
    hip.hipFreeAsync(address, streams[0])
    hip.hipStreamSynchronize(streams[0])
    assert hip.hipMemGetInfo()[0] == free
    with pytest.raises(error, match="freed already"):
        hip.hipFreeAsync(address, streams[0])


def test_pools_keep_their_attributes(hip: Any, error: Any) -> None:
    pool = hip.hipDeviceGetDefaultMemPool(0)
    assert int(hip.hipDeviceGetMemPool(0)) == int(pool)
    value = ctypes.c_uint64(1 << 33)
    threshold = hip.module.hipMemPoolAttr.hipMemPoolAttrReleaseThreshold
    hip.hipMemPoolSetAttribute(pool, threshold, ctypes.addressof(value))
    found = ctypes.c_uint64()
    hip.hipMemPoolGetAttribute(pool, threshold, ctypes.addressof(found))
    assert found.value == 1 << 33
    with pytest.raises(error, match="the default pool cannot be destroyed"):
        hip.hipMemPoolDestroy(pool)


def test_a_late_copy_reads_ordinary_memory_at_once_and_pinned_memory_late(
    hip: Any, streams: list[int], kinds: Any, callbacks: Any
) -> None:
    proceed = threading.Event()
    ordinary, pinned = bytearray(b"old!"), int(hip.hipHostMalloc(4, 0))
    ctypes.memmove(pinned, b"old!", 4)
    first, second = hip.malloc(4), hip.malloc(4)
    callbacks.launch(streams[0], proceed.wait)
    hip.hipMemcpyAsync(first, ordinary, 4, kinds.hipMemcpyHostToDevice, streams[0])
    hip.hipMemcpyAsync(second, pinned, 4, kinds.hipMemcpyHostToDevice, streams[0])
    ordinary[:] = b"new!"
    ctypes.memmove(pinned, b"new!", 4)
    proceed.set()
    hip.hipStreamSynchronize(streams[0])
    assert (hip.read(first, 4), hip.read(second, 4)) == (b"old!", b"new!")
    for address in (first, second):
        hip.hipFree(address)
    hip.hipHostFree(pinned)
