"""The cuda runtime on a driver that logs its calls.

test_device_runtime.py runs this file in a process whose loader finds the fake driver as `libcuda.so.1`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import flydsl_cuda
from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind
from flydsl.runtime.device import Device
from flydsl.runtime.kernel import ObjectCode
from flydsl.runtime.launch import LaunchConfig, launch
from flydsl_cuda.backend import CudaBackend
from flydsl_cuda.runtime.device_runtime import CudaRuntime

PACKAGE = Path(flydsl_cuda.__file__).parent
NATIVE = Path(__file__).parents[2] / "src/native"
CUDA_TABLE, DRIVER, LAUNCHES = NATIVE / "cuda_table.c", NATIVE / "driver.h", NATIVE / "launch_failures.h"


@pytest.fixture(scope="session")
def runtime() -> CudaRuntime:
    return CudaRuntime()


@pytest.fixture
def driver(runtime: CudaRuntime, attach_driver: Any) -> Iterator[Any]:
    runtime.current_ordinal()
    found = attach_driver("libcuda.so.1")
    for ordinal in (0, 1):
        runtime.synchronize(ordinal)  # the primary contexts are there
    found.reset()
    yield found
    found.reset()


def calls(driver: Any) -> list[str]:
    """The calls since the last look, but for those that enter and leave contexts and captures."""
    return [line for line in driver.log() if not re.match("cuCtx(Push|Pop)|cuThreadExchange", line)]


def test_devices_are_available(runtime: CudaRuntime, driver: Any) -> None:
    assert runtime.status().available
    assert (runtime.device_count(), runtime.current_ordinal()) == (2, 0)


def test_driver_error_makes_it_unavailable_with_the_reason(runtime: CudaRuntime, driver: Any) -> None:
    driver.reset(failing="cuDeviceGetCount", code=801)
    status = runtime.status()
    assert (status.available, runtime.device_count()) == (False, 0)
    assert status.reason == "the driver reports an error: cuDeviceGetCount: CUDA_ERROR_FAKE_801: fake error 801"


@pytest.mark.parametrize(
    ("capability", "arch"), [((8, 0), "sm_80"), ((9, 0), "sm_90a"), ((10, 0), "sm_100a"), ((7, 5), "sm_75")]
)
def test_properties_are_the_drivers(runtime: CudaRuntime, driver: Any, capability: Any, arch: str) -> None:
    driver.major.value, driver.minor.value = capability
    try:
        info = runtime.device_info(1)
    finally:
        driver.major.value, driver.minor.value = 9, 0
    assert (info.ordinal, info.name, info.arch) == (1, "NVIDIA Fake", arch)
    assert (info.memory_bytes, info.shared_bytes_per_block) == (139 << 30, 227 << 10)
    assert (info.warp_size, info.max_threads_per_block, info.compute_units) == (32, 1024, 132)
    assert CudaBackend().supports_arch(info.arch) == (capability != (7, 5))
    with pytest.raises(NoDeviceError, match="there is no GPU 2: the driver reports 2"):
        runtime.device_info(2)


def test_memory_is_allocated_on_its_device_and_freed(runtime: CudaRuntime, driver: Any) -> None:
    with Device(1, runtime=runtime).allocate(1000) as buffer:
        assert buffer.handle
    assert driver.log()[-8:] == [
        "cuCtxPushCurrent(1)",
        "cuThreadExchangeStreamCaptureMode(2)",
        "cuMemAlloc(1000 on 1)",
        "cuThreadExchangeStreamCaptureMode(0)",
        "cuCtxPopCurrent()",
        "cuCtxPushCurrent(0)",
        "cuMemFree(on 0)",
        "cuCtxPopCurrent()",
    ]
    assert (runtime.allocate(0, 0), runtime.allocate_on(0, 0, 0)) == (0, 0)
    runtime.free(0)
    runtime.free_on(0x10, 0)
    assert driver.log() == []


def test_memory_in_the_order_of_a_stream(runtime: CudaRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    with device.create_stream() as stream:
        calls(driver)
        with device.allocate(1000, stream=stream) as buffer:
            assert buffer.handle
        assert calls(driver) == [
            "cuDeviceGetAttribute(115 on 1)",
            f"cuMemAllocAsync(1000, {stream.handle:#x} on 1)",
            f"cuMemFreeAsync({stream.handle:#x})",
        ]
        kept = device.allocate(8, stream=stream)
    kept.close()
    assert calls(driver)[-1] == "cuMemFree(on 0)"


def test_devices_without_pools_allocate_and_free_at_once(runtime: CudaRuntime, driver: Any) -> None:
    driver.has_pools.value = 0
    try:
        runtime.free_on(0x50, runtime.allocate_on(0x50, 0, 16))
    finally:
        driver.has_pools.value = 1
    assert calls(driver) == [
        "cuDeviceGetAttribute(115 on 0)",
        "cuMemAlloc(16 on 0)",
        "cuStreamSynchronize(0x50 on 0)",
        "cuMemFree(on 0)",
    ]


def test_buffers_of_two_devices_are_copied_between_them(runtime: CudaRuntime, driver: Any) -> None:
    here, there = (Device(i, runtime=runtime) for i in (0, 1))
    source, target, stream = here.allocate(4), there.allocate(8), there.create_stream()
    source.copy_from(b"abcd")
    calls(driver)
    target.copy_from(source, stream=stream)
    target.copy_to(source)
    assert calls(driver) == [f"cuMemcpyPeerAsync(1, 0, 4, {stream.handle:#x})", "cuMemcpyPeerAsync(0, 1, 4, 0)"]


def test_peers_are_let_in_once(runtime: CudaRuntime, driver: Any) -> None:
    here, there = (Device(i, runtime=runtime) for i in (0, 1))
    here.enable_access(here)
    assert (here.can_access(here), there.can_access(here)) == (True, True)
    there.enable_access(here)
    assert "cuCtxEnablePeerAccess(0, 0 on 1)" in calls(driver)
    driver.reset(failing="cuCtxEnablePeerAccess", code=704)  # already enabled
    there.enable_access(here)
    driver.has_peers.value = 0
    try:
        with pytest.raises(RuntimeFailure, match="kernels on device 1 cannot reach memory of device 0"):
            there.enable_access(here)
    finally:
        driver.has_peers.value = 1


def test_copies_go_by_their_stream(runtime: CudaRuntime, driver: Any) -> None:
    device = Device(0, runtime=runtime)
    buffer, stream = device.allocate(4), device.create_stream()
    result = bytearray(4)
    calls(driver)
    buffer.copy_from(b"abcd")
    buffer.copy_to(result, stream=stream)
    assert result == b"abcd"
    assert calls(driver) == [
        "cuMemcpy(4 on 0)",
        "cuStreamSynchronize(0 on 0)",
        f"cuMemcpyAsync(4, {stream.handle:#x})",
        f"cuStreamSynchronize({stream.handle:#x} on 0)",
    ]
    runtime.copy(buffer.handle, buffer.handle, 4, stream.handle, CopyKind.DEVICE_TO_DEVICE)
    buffer.fill(7, stream=stream)
    assert calls(driver) == [f"cuMemcpyAsync(4, {stream.handle:#x})", f"cuMemsetD8Async(7, 4, {stream.handle:#x} on 0)"]


def test_streams_do_not_wait_for_the_default_one(runtime: CudaRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    calls(driver)
    stream = device.create_stream()
    stream.sync()
    handle = stream.handle
    stream.close()
    assert calls(driver) == [
        "cuStreamCreate(1 on 1)",
        f"cuStreamSynchronize({handle:#x} on 0)",
        f"cuStreamDestroy({handle:#x})",
    ]


def test_events_are_recorded_waited_for_and_timed(runtime: CudaRuntime, driver: Any) -> None:
    device = Device(0, runtime=runtime)
    stream, start, end = device.create_stream(), device.create_event(), device.create_event(timing=False)
    s, a, b = (f"{item.handle:#x}" for item in (stream, start, end))
    assert calls(driver)[-2:] == ["cuEventCreate(0 on 0)", "cuEventCreate(2 on 0)"]
    device.default_stream.record(start)
    stream.wait(start)
    stream.record(end)
    end.sync()
    assert runtime.is_reached(end.handle)
    assert end - start == 2.5
    start.close()
    assert calls(driver) == [
        f"cuEventRecord({a}, 0)",
        f"cuStreamWaitEvent({s}, {a}, 0)",
        f"cuEventRecord({b}, {s})",
        f"cuEventSynchronize({b})",
        f"cuEventQuery({b})",
        f"cuEventElapsedTime({a}, {b})",
        f"cuEventDestroy({a})",
    ]


def test_device_is_synchronized_as_a_whole(runtime: CudaRuntime, driver: Any) -> None:
    Device(1, runtime=runtime).sync()
    assert "cuCtxSynchronize(on 1)" in driver.log()


POINTER, STREAM, EVENT = np.zeros(8, np.uint8).ctypes.data, 0x10, 0x20
CALLS: dict[str, Callable[[CudaRuntime], object]] = {
    "cuCtxEnablePeerAccess": lambda runtime: runtime.enable_access(0, 1),
    "cuCtxGetCurrent": lambda runtime: runtime.current_ordinal(),
    "cuCtxPushCurrent": lambda runtime: runtime.allocate(1, 8),
    "cuCtxSynchronize": lambda runtime: runtime.synchronize(0),
    "cuDeviceCanAccessPeer": lambda runtime: runtime.can_access(0, 1),
    "cuDeviceGetAttribute": lambda runtime: runtime.allocate_on(STREAM, 0, 8),
    "cuDeviceGetName": lambda runtime: runtime.device_info(0),
    "cuDeviceTotalMem": lambda runtime: runtime.device_info(0),
    "cuEventCreate": lambda runtime: runtime.create_event(0),
    "cuEventDestroy": lambda runtime: runtime.destroy_event(EVENT),
    "cuEventElapsedTime": lambda runtime: runtime.elapsed_ms(EVENT, EVENT),
    "cuEventQuery": lambda runtime: runtime.is_reached(EVENT),
    "cuEventRecord": lambda runtime: runtime.record_event(EVENT, STREAM),
    "cuEventSynchronize": lambda runtime: runtime.synchronize_event(EVENT),
    "cuFuncGetAttribute": lambda runtime: load(runtime),
    "cuFuncSetAttribute": lambda runtime: launch_loaded(runtime, 64 << 10),
    "cuLaunchKernel": lambda runtime: launch_loaded(runtime),
    "cuMemAlloc": lambda runtime: runtime.allocate(0, 8),
    "cuMemAllocAsync": lambda runtime: runtime.allocate_on(STREAM, 0, 8),
    "cuMemFree": lambda runtime: runtime.free(runtime.allocate(0, 8)),
    "cuMemFreeAsync": lambda runtime: runtime.free_on(STREAM, runtime.allocate(0, 8)),
    "cuMemcpy": lambda runtime: runtime.copy(POINTER, POINTER, 0, 0, CopyKind.HOST_TO_DEVICE),
    "cuMemcpyAsync": lambda runtime: runtime.copy(POINTER, POINTER, 0, STREAM, CopyKind.HOST_TO_DEVICE),
    "cuMemcpyPeerAsync": lambda runtime: runtime.copy_between(POINTER, 1, POINTER, 0, 0, STREAM),
    "cuMemsetD8Async": lambda runtime: runtime.memset(POINTER, 0, 0, STREAM),
    "cuModuleGetFunction": lambda runtime: load(runtime),
    "cuModuleLoadDataEx": lambda runtime: load(runtime),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": lambda runtime: runtime.max_blocks_per_unit(
        0, load(runtime).get_kernel("k").handle, (64, 2, 1)
    ),
    "cuStreamCreate": lambda runtime: runtime.create_stream(0),
    "cuStreamDestroy": lambda runtime: runtime.destroy_stream(STREAM),
    "cuStreamSynchronize": lambda runtime: runtime.synchronize_stream(STREAM),
    "cuStreamWaitEvent": lambda runtime: runtime.stream_wait_event(STREAM, EVENT),
}
NO_FAILURE = {
    "cuCtxGetDevice",  # needs a context: test_cuda_table.py
    "cuCtxPopCurrent",  # the way back from what was entered
    "cuDeviceGet",  # test_cuda_table.py
    "cuDeviceGetCount",  # a state with a reason, above
    "cuDevicePrimaryCtxRetain",  # test_cuda_table.py
    "cuDriverGetVersion",  # writes a number
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",  # a state with a reason: test_device_runtime.py
    "cuLaunchKernelEx",  # test_cuda_table.py
    "cuTensorMapEncodeTiled",  # test_tensor_map.py
    "cuMemGetInfo",  # for messages alone
    "cuModuleUnload",  # test_cuda_table.py
    "cuThreadExchangeStreamCaptureMode",  # fails for wrong modes only
}


def load(runtime: CudaRuntime) -> ObjectCode:
    return ObjectCode.load(Device(0, runtime=runtime), b"//PTX", ["k"])


def launch_loaded(runtime: CudaRuntime, shared: int = 0) -> None:
    config = LaunchConfig(1, 1, shmem_size=shared)
    launch(Device(0, runtime=runtime).default_stream, config, load(runtime).get_kernel("k"))


@pytest.mark.parametrize(("function", "stream"), [("cuMemAlloc", None), ("cuMemAllocAsync", "default_stream")])
def test_too_much_memory_is_an_error_that_says_what_is_left(
    runtime: CudaRuntime, driver: Any, function: str, stream: str | None
) -> None:
    device = Device(1, runtime=runtime)
    driver.reset(failing=function, code=2)
    text = f"{function}: CUDA_ERROR_FAKE_2: fake error 2: 1024 bytes for GPU 1, which has 5242880 of 149250113536 left"
    with pytest.raises(RuntimeFailure, match=text):
        device.allocate(1024, stream=stream and getattr(device, stream))


def test_what_is_released_after_a_fault_says_nothing(driver: Any) -> None:
    runtime = CudaRuntime()
    device = Device(0, runtime=runtime)
    closed = [device.allocate(8), device.create_stream(), device.create_event(), device.allocate(8)]
    driver.reset(failing="cuMemFree", code=700)
    with pytest.raises(RuntimeFailure, match="cuMemFree: CUDA_ERROR_FAKE_700"):
        closed.pop().close()
    for function, resource in zip(("cuMemFree", "cuStreamDestroy", "cuEventDestroy"), closed, strict=True):
        driver.reset(failing=function, code=700)
        resource.close()
    driver.reset(failing="cuMemFree", code=1)
    with pytest.raises(RuntimeFailure, match="cuMemFree: CUDA_ERROR_FAKE_1"):
        runtime.free(runtime.allocate(0, 8))


def test_every_function_that_is_called_is_made_to_fail() -> None:
    sources = (PACKAGE / "runtime/device_runtime.py", PACKAGE / "runtime/library.py", CUDA_TABLE, DRIVER, LAUNCHES)
    called = {name for path in sources for name in re.findall(r'"(cu[A-Z]\w+)"', path.read_text())}
    assert {name.removesuffix("_v2") for name in called} == CALLS.keys() | NO_FAILURE


@pytest.mark.parametrize("function", CALLS)
@pytest.mark.parametrize("code", [1, 2, 700, 719, 801, 900])
def test_errors_name_the_function_and_its_code(driver: Any, function: str, code: int) -> None:
    runtime = CudaRuntime()  # one that no kernel has failed on
    driver.reset(failing=function, code=code)
    with pytest.raises(
        RuntimeFailure, match=f"{function}: .*CUDA_ERROR_FAKE_{code}: fake error {code}|use the device no more"
    ) as caught:
        CALLS[function](runtime)
    assert caught.value.code == code
    if function in ("cuLaunchKernel", "cuFuncGetAttribute", "cuFuncSetAttribute", "cuModuleGetFunction"):
        assert caught.value.kernel == "k"
    driver.reset()
    assert runtime.current_ordinal() == 0
    runtime.free(runtime.allocate(0, 8))


def test_kernels_are_loaded_and_launched_through_the_table(runtime: CudaRuntime, driver: Any) -> None:
    device = Device(1, runtime=runtime)
    stream = device.create_stream()
    driver.log()
    with ObjectCode.load(device, b"//PTX", ["k"]) as code:
        driver.param_sizes[0] = 8
        launch(stream, LaunchConfig((8, 2), 256, shmem_size=64), code.get_kernel("k"), -2)
        assert runtime.max_blocks_per_unit(1, code.get_kernel("k").handle, (64, 2)) == 16
    log = driver.log()
    assert "cuModuleLoadDataEx(//PT, 2 on 1)" in log
    assert any(f", 8 2 1, 256 1 1, 64, {stream.handle:#x}, 0 on 1)" in line for line in log)
    assert driver.params() == (-2).to_bytes(8, "little", signed=True)


def test_missing_kernel_is_named(runtime: CudaRuntime, driver: Any) -> None:
    with pytest.raises(RuntimeFailure, match="kernel 'absent': cuModuleGetFunction: CUDA_ERROR_FAKE_500"):
        ObjectCode.load(Device(0, runtime=runtime), b"//PTX", ["absent"])
