"""The cpu runtime's device, memory and settings."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.device import Device
from flydsl_cpu.backend import CpuBackend
from flydsl_cpu.runtime.device_runtime import CpuRuntime

MIB = 1 << 20


def test_there_is_one_device_and_the_backend_compiles_for_it(device: Device) -> None:
    assert (device.runtime.device_count(), device.ordinal) == (1, 0)
    backend = CpuBackend()
    assert backend.supports_arch(device.arch)
    assert backend.warp_size(device.arch) == device.info.warp_size
    assert (device.info.max_threads_per_block, device.info.shared_bytes_per_block) == (1024, 65536)
    with pytest.raises(NoDeviceError, match="no cpu device 1"):
        device.runtime.device_info(1)


def test_memory_is_aligned_as_on_devices(device: Device) -> None:
    buffers = [device.allocate(size) for size in (0, 1, 255, 4097)]
    assert all(buffer.handle % 256 == 0 and buffer.handle for buffer in buffers)


def test_memory_that_cannot_be_had_is_an_error(device: Device) -> None:
    for size in (1 << 62, 2**63 - 1):
        with pytest.raises(RuntimeFailure, match=f"no {size} bytes of memory are left"):
            device.allocate(size)


def test_freeing_twice_is_an_error_and_freeing_nothing_is_not(device: Device) -> None:
    pointer = device.runtime.allocate(0, 64)
    device.runtime.free(pointer)
    with pytest.raises(RuntimeFailure, match=f"{pointer:#x} is not an allocation of this runtime"):
        device.runtime.free(pointer)
    device.runtime.free(0)


@pytest.mark.parametrize("on_stream", [False, True])
@pytest.mark.parametrize("size", [1, MIB - 1, MIB, 5 * MIB + 3])
def test_copies_of_all_sizes_arrive(device: Device, size: int, on_stream: bool) -> None:
    data = np.random.default_rng(size).integers(0, 256, size, np.uint8)
    stream = device.create_stream() if on_stream else None
    first, second = device.allocate(size), device.allocate(size)
    first.copy_from(data, stream=stream)
    second.copy_from(first, stream=stream)
    result = np.empty_like(data)
    second.copy_to(result, stream=stream)
    assert np.array_equal(result, data)


@pytest.mark.parametrize("shift", [-1000, 1000])
def test_overlapping_copy_moves_as_memmove(device: Device, shift: int) -> None:
    data = np.random.default_rng(3).integers(0, 256, 3 * MIB, np.uint8)
    expected = data.copy()
    source, target = max(0, -shift), max(0, shift)
    count = data.size - abs(shift)
    expected[target : target + count] = data[source : source + count]
    base = data.ctypes.data
    Buffer.from_handle(base + target, count, device).copy_from(Buffer.from_handle(base + source, count, device))
    assert np.array_equal(data, expected)


def test_fill_reaches_every_byte(device: Device) -> None:
    stream, buffer = device.create_stream(), device.allocate(2 * MIB + 1)
    buffer.fill(0xA5, stream=stream)
    result = bytearray(buffer.size)
    buffer.copy_to(result, stream=stream)
    assert result == b"\xa5" * buffer.size


def run(script: str, **environment: str) -> str:
    prelude = "from flydsl_cpu.runtime.device_runtime import CpuRuntime\n"
    command = [sys.executable, "-c", prelude + script]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_settings_choose_threads_and_shared_memory() -> None:
    script = "info = CpuRuntime().device_info(0); print(info.name.rpartition('(')[2], info.shared_bytes_per_block)"
    assert run(script, FLYDSL_CPU_THREADS="3", FLYDSL_CPU_SHARED_BYTES="163840") == "3 threads) 163840"


def test_threads_follow_the_affinity_mask() -> None:
    script = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); print(CpuRuntime().device_info(0).name)"
    )
    assert run(script, FLYDSL_CPU_THREADS="").endswith("(1 threads)")


@pytest.mark.parametrize("threads", ["many", "-4", "2000"])
def test_a_wrong_setting_is_a_value_error_that_names_the_variable(threads: str) -> None:
    script = "try:\n    CpuRuntime()\nexcept ValueError as error:\n    print(error)"
    assert run(script, FLYDSL_CPU_THREADS=threads).startswith(f"FLYDSL_CPU_THREADS is {threads!r}, expected an integer")


def test_missing_library_makes_the_runtime_unavailable_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    script = (
        "from flydsl.runtime.native_library import NativeLibrary\nNativeLibrary.path = lambda library: None\n"
        "runtime = CpuRuntime()\nprint(runtime.status().available, runtime.device_count(), runtime.status().reason)"
    )
    found = run(script)
    assert found.startswith("False 0 ")
    assert "flydsl-cpu is not built" in found


def test_error_texts_belong_to_their_thread_and_code() -> None:
    runtime = CpuRuntime()
    with pytest.raises(RuntimeFailure) as caught:
        runtime.free(12345)
    assert "0x3039" in runtime.error_message(caught.value.code)
    assert runtime.error_message(2) == "out of memory"
    assert runtime.error_message(0) == "no error"
    assert runtime.error_message(12345) == "unknown error"
