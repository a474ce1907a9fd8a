"""The hip runtime through hip-python on a driver that logs its calls.

test_device_runtime.py runs this file in a process whose loader finds the fake driver as `libamdhip64.so`.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import flydsl_rocm
from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl_rocm.backend import RocmBackend
from flydsl_rocm.runtime.device_runtime import HipRuntime

HIP_TABLE = Path(__file__).parents[2] / "src/native/hip_table.c"


@pytest.fixture(scope="session")
def runtime() -> HipRuntime:
    return HipRuntime()


@pytest.fixture
def driver(runtime: HipRuntime, attach_driver: Any) -> Iterator[Any]:
    runtime.current_ordinal()
    found = attach_driver("libamdhip64.so")
    found.reset()
    yield found
    found.reset()


def test_devices_are_available(runtime: HipRuntime, driver: Any) -> None:
    assert runtime.status().available
    assert (runtime.device_count(), runtime.current_ordinal()) == (2, 0)


def test_driver_error_makes_it_unavailable_with_the_reason(runtime: HipRuntime, driver: Any) -> None:
    driver.reset(failing="hipGetDeviceCount")
    status = runtime.status()
    assert (status.available, runtime.device_count()) == (False, 0)
    assert status.reason == "the driver reports an error: hipGetDeviceCount: hipErrorFake719: fake error 719"


def describe_gfx942(driver: Any) -> None:
    """Fill the properties that the driver gives, by hip-python's own layout of the struct."""
    from rocm.bindings import hip

    properties = hip.hipDeviceProp_t()
    size, address = properties.c_sizeof(), int(properties)
    arch_offset = next(i for i in range(size) if _reads_arch_at(properties, address, size, i))
    ctypes.memset(address, 0, size)
    properties.totalGlobalMem, properties.sharedMemPerBlock = 192 << 30, 65536
    properties.warpSize, properties.maxThreadsPerBlock = 64, 1024
    ctypes.memmove(address, b"AMD Instinct Fake", 18)
    ctypes.memmove(address + arch_offset, b"gfx942:sramecc+:xnack-", 23)
    ctypes.memmove(driver.properties, address, size)


def _reads_arch_at(properties: Any, address: int, size: int, offset: int) -> bool:
    ctypes.memset(address, 0, size)
    ctypes.memset(address + offset, ord("x"), 1)
    return bool(properties.gcnArchName == "x")


def test_properties_are_the_drivers(runtime: HipRuntime, driver: Any) -> None:
    describe_gfx942(driver)
    info = runtime.device_info(1)
    assert (info.ordinal, info.name, info.arch) == (1, "AMD Instinct Fake", "gfx942")
    assert (info.memory_bytes, info.shared_bytes_per_block) == (192 << 30, 65536)
    assert (info.warp_size, info.max_threads_per_block) == (64, 1024)
    assert RocmBackend().supports_arch(info.arch)
    with pytest.raises(NoDeviceError, match="there is no GPU 2: the driver reports 2"):
        runtime.device_info(2)


def test_memory_is_allocated_on_its_device_and_freed(runtime: HipRuntime, driver: Any) -> None:
    with Device(1, runtime=runtime).allocate(1000) as buffer:
        assert buffer.handle
    assert driver.log()[-6:] == [
        "hipSetDevice(1)",
        "hipThreadExchangeStreamCaptureMode(2)",
        "hipMalloc(1000 on 1)",
        "hipThreadExchangeStreamCaptureMode(0)",
        "hipSetDevice(0)",
        "hipFree()",
    ]


def test_memory_in_the_order_of_a_stream(runtime: HipRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    with device.create_stream() as stream:
        driver.log()
        with device.allocate(1000, stream=stream) as buffer:
            assert buffer.handle
        assert driver.log() == [
            "hipDeviceGetAttribute(on 1)",
            "hipSetDevice(1)",
            f"hipMallocAsync(1000, {stream.handle:#x} on 1)",
            "hipSetDevice(0)",
            f"hipFreeAsync({stream.handle:#x})",
        ]
        kept = device.allocate(8, stream=stream)
    kept.close()
    assert driver.log()[-1] == "hipFree()"


def test_devices_without_pools_allocate_at_once(runtime: HipRuntime, driver: Any) -> None:
    driver.has_pools.value = 0
    try:
        runtime.free_on(0x50, runtime.allocate_on(0x50, 0, 16))
    finally:
        driver.has_pools.value = 1
    assert [line for line in driver.log() if "Capture" not in line] == [
        "hipDeviceGetAttribute(on 0)",
        "hipMalloc(16 on 0)",
        "hipFreeAsync(0x50)",
    ]


def test_buffers_of_two_devices_are_copied_between_them(runtime: HipRuntime, driver: Any) -> None:
    here, there = (Device(i, runtime=runtime) for i in (0, 1))
    source, target, stream = here.allocate(4), there.allocate(8), there.create_stream()
    source.copy_from(b"abcd")
    driver.log()
    target.copy_from(source, stream=stream)
    target.copy_to(source)
    assert driver.log() == [f"hipMemcpyPeerAsync(1, 0, 4, {stream.handle:#x})", "hipMemcpyPeerAsync(0, 1, 4, 0)"]
    with pytest.raises(RuntimeFailure, match="a copy of 8 bytes exceeds a buffer of 4 bytes"):
        source.copy_from(target)


def test_peers_are_let_in_once(runtime: HipRuntime, driver: Any) -> None:
    here, there = (Device(i, runtime=runtime) for i in (0, 1))
    here.enable_access(here)
    assert (here.can_access(here), there.can_access(here)) == (True, True)
    there.enable_access(here)
    assert driver.log()[-1] == "hipSetDevice(0)"
    driver.reset(failing="hipDeviceEnablePeerAccess", code=704)  # already enabled
    there.enable_access(here)
    assert "hipDeviceEnablePeerAccess(0, 0 on 1)" in driver.log()
    driver.has_peers.value = 0
    try:
        with pytest.raises(RuntimeFailure, match="kernels on device 1 cannot reach memory of device 0"):
            there.enable_access(here)
    finally:
        driver.has_peers.value = 1


def test_device_comes_back_after_an_error(runtime: HipRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    driver.reset(failing="hipMalloc")
    with pytest.raises(RuntimeFailure, match="hipMalloc: hipErrorFake719: fake error 719") as caught:
        device.allocate(64)
    assert caught.value.code == 719
    assert driver.log()[-1] == "hipSetDevice(0)"


def test_copies_go_by_their_stream_and_direction(runtime: HipRuntime, driver: Any) -> None:
    device = Device(0, runtime=runtime)
    buffer, stream = device.allocate(4), device.create_stream()
    result = bytearray(4)
    driver.log()
    buffer.copy_from(b"abcd")
    buffer.copy_to(result, stream=stream)
    assert result == b"abcd"
    assert driver.log() == [
        "hipMemcpy(4, 1)",
        "hipStreamSynchronize(0)",
        f"hipMemcpyAsync(4, 2, {stream.handle:#x})",
        f"hipStreamSynchronize({stream.handle:#x})",
    ]
    runtime.copy(buffer.handle, buffer.handle, 4, stream.handle, CopyKind.DEVICE_TO_DEVICE)
    buffer.fill(7, stream=stream)
    assert driver.log() == [f"hipMemcpyAsync(4, 3, {stream.handle:#x})", f"hipMemsetAsync(7, 4, {stream.handle:#x})"]


def test_streams_do_not_wait_for_the_default_one(runtime: HipRuntime, driver: Any) -> None:
    stream = Device(1, runtime=runtime).create_stream()
    stream.sync()
    handle = stream.handle
    stream.close()
    assert driver.log()[-5:] == [
        "hipSetDevice(1)",
        "hipStreamCreateWithFlags(1)",
        "hipSetDevice(0)",
        f"hipStreamSynchronize({handle:#x})",
        f"hipStreamDestroy({handle:#x})",
    ]


def test_events_are_recorded_waited_for_and_timed(runtime: HipRuntime, driver: Any) -> None:
    device = Device(0, runtime=runtime)
    stream, start, end = device.create_stream(), device.create_event(), device.create_event(timing=False)
    s, a, b = (f"{item.handle:#x}" for item in (stream, start, end))
    assert driver.log()[-2:] == ["hipEventCreateWithFlags(0)", "hipEventCreateWithFlags(2)"]
    device.default_stream.record(start)
    stream.wait(start)
    stream.record(end)
    end.sync()
    assert runtime.is_reached(end.handle)
    assert end - start == 2.5
    start.close()
    assert driver.log() == [
        f"hipEventRecord({a}, 0)",
        f"hipStreamWaitEvent({s}, {a}, 0)",
        f"hipEventRecord({b}, {s})",
        f"hipEventSynchronize({b})",
        f"hipEventQuery({b})",
        f"hipEventElapsedTime({a}, {b})",
        f"hipEventDestroy({a})",
    ]


def test_device_is_synchronized_as_a_whole(runtime: HipRuntime, driver: Any) -> None:
    Device(1, runtime=runtime).sync()
    assert "hipDeviceSynchronize(on 1)" in driver.log()


POINTER, STREAM, EVENT = 0, 0x10, 0x20
CALLS: dict[str, Callable[[HipRuntime], object]] = {
    "hipDeviceCanAccessPeer": lambda runtime: runtime.can_access(0, 1),
    "hipDeviceEnablePeerAccess": lambda runtime: runtime.enable_access(0, 1),
    "hipDeviceGetAttribute": lambda runtime: runtime.allocate_on(STREAM, 0, 8),
    "hipDeviceSynchronize": lambda runtime: runtime.synchronize(0),
    "hipEventCreateWithFlags": lambda runtime: runtime.create_event(0),
    "hipEventDestroy": lambda runtime: runtime.destroy_event(EVENT),
    "hipEventElapsedTime": lambda runtime: runtime.elapsed_ms(EVENT, EVENT),
    "hipEventQuery": lambda runtime: runtime.is_reached(EVENT),
    "hipEventRecord": lambda runtime: runtime.record_event(EVENT, STREAM),
    "hipEventSynchronize": lambda runtime: runtime.synchronize_event(EVENT),
    "hipFree": lambda runtime: runtime.free(POINTER),
    "hipFreeAsync": lambda runtime: runtime.free_on(STREAM, runtime.allocate(0, 8)),
    "hipGetDevice": lambda runtime: runtime.current_ordinal(),
    "hipGetDeviceProperties": lambda runtime: runtime.device_info(0),
    "hipMalloc": lambda runtime: runtime.allocate(0, 8),
    "hipMallocAsync": lambda runtime: runtime.allocate_on(STREAM, 0, 8),
    "hipMemcpy": lambda runtime: runtime.copy(POINTER, POINTER, 0, 0, CopyKind.HOST_TO_DEVICE),
    "hipMemcpyAsync": lambda runtime: runtime.copy(POINTER, POINTER, 0, STREAM, CopyKind.HOST_TO_DEVICE),
    "hipMemcpyPeerAsync": lambda runtime: runtime.copy_between(POINTER, 1, POINTER, 0, 0, STREAM),
    "hipMemsetAsync": lambda runtime: runtime.memset(POINTER, 0, 0, STREAM),
    "hipModuleGetFunction": lambda runtime: load(runtime),
    "hipModuleLaunchKernel": lambda runtime: launch_loaded(runtime),
    "hipModuleLoadData": lambda runtime: load(runtime),
    "hipSetDevice": lambda runtime: runtime.allocate(1, 8),
    "hipStreamCreateWithFlags": lambda runtime: runtime.create_stream(0),
    "hipStreamDestroy": lambda runtime: runtime.destroy_stream(STREAM),
    "hipStreamSynchronize": lambda runtime: runtime.synchronize_stream(STREAM),
    "hipStreamWaitEvent": lambda runtime: runtime.stream_wait_event(STREAM, EVENT),
}
NO_FAILURE = {
    "hipDrvLaunchKernelEx",  # test_hip_table.py
    "hipGetDeviceCount",  # a state with a reason, above
    "hipGetErrorName",
    "hipGetErrorString",
    "hipModuleUnload",  # test_hip_table.py
    "hipThreadExchangeStreamCaptureMode",  # fails for wrong modes only
}


def load(runtime: HipRuntime) -> ObjectCode:
    return ObjectCode.load(Device(0, runtime=runtime), b"ELF!", ["k"])


def launch_loaded(runtime: HipRuntime) -> None:
    launch(Device(0, runtime=runtime).default_stream, LaunchConfig(1, 1), load(runtime).get_kernel("k"))


def test_every_function_that_is_called_is_made_to_fail() -> None:
    sources = (Path(flydsl_rocm.__file__).parent / "runtime/device_runtime.py", HIP_TABLE)
    called = {name for path in sources for name in re.findall(r'"(hip[A-Z]\w+)"', path.read_text())}
    assert called == CALLS.keys() | NO_FAILURE


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("code", [1, 2, 700, 719, 801, 900])
def test_errors_name_the_function_and_its_code(runtime: HipRuntime, driver: Any, function: str, code: int) -> None:
    driver.reset(failing=function, code=code)
    with pytest.raises(
        RuntimeFailure, match=f"{function}: .*hipErrorFake{code}: fake error {code}$|device does nothing"
    ) as caught:
        CALLS[function](runtime)
    assert caught.value.code == code
    if "Kernel" in function or function == "hipModuleGetFunction":
        assert caught.value.kernel == "k"
    driver.reset()
    assert runtime.current_ordinal() == 0
    runtime.free(runtime.allocate(0, 8))


def test_kernels_are_loaded_and_launched_through_the_table(runtime: HipRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    stream = device.create_stream()
    driver.log()
    with ObjectCode.load(device, b"ELF!", ["k"]) as code:
        driver.param_sizes[0] = 8
        launch(stream, LaunchConfig((8, 2), 256, shmem_size=64), code.get_kernel("k"), -2)
    log = driver.log()
    assert "hipModuleLoadData(ELF!)" in log
    assert any(f", 8 2 1, 256 1 1, 64, {stream.handle:#x}, 0 on 1)" in line for line in log)
    assert driver.params() == (-2).to_bytes(8, "little", signed=True)


def test_missing_kernel_is_named(runtime: HipRuntime, driver: Any) -> None:
    with pytest.raises(RuntimeFailure, match="kernel 'absent': hipModuleGetFunction: hipErrorFake500"):
        ObjectCode.load(Device(0, runtime=runtime), b"ELF!", ["absent"])
