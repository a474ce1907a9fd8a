"""Errors of the simulated HIP: their names and texts, the thread's last one, and failures on request."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
from typing import Any

import pytest

from flydsl.base.errors import FlyDSLError
from flydsl.plugins.device_runtime import CopyKind
from flydsl_hipsim.bench import HipsimBench
from flydsl_hipsim.runtime import HipsimRuntime

OUT_OF_MEMORY = 2


def test_names_are_those_of_hip(hip: Any) -> None:
    hip.native.hipGetErrorName.restype = ctypes.c_char_p
    for code in hip.module.hipError_t:
        name = hip.native.hipGetErrorName(int(code)).decode()
        assert name in (code.name, "hipErrorUnknown")
        assert hip.native.hipGetErrorString(int(code))


def test_the_last_error_is_the_threads_own_until_asked_for(hip: Any) -> None:
    native, others = hip.native, list[int]()
    assert native.hipSetDevice(-1) == 101
    assert native.hipGetDevice(ctypes.byref(ctypes.c_int())) == 0
    thread = threading.Thread(target=lambda: others.append(native.hipGetLastError()))
    thread.start()
    thread.join()
    assert (others, native.hipPeekAtLastError(), native.hipGetLastError(), native.hipGetLastError()) == (
        [0],
        101,
        101,
        0,
    )


def test_a_chosen_call_fails_once_and_does_nothing(hipsim: HipsimBench, hip: Any, error: Any) -> None:
    hipsim.fail_next("hipMalloc", OUT_OF_MEMORY, nth=2)
    first, free = hip.malloc(64), hip.hipMemGetInfo()
    with pytest.raises(error, match="out of memory: hipMalloc: a failure was asked for") as caught:
        hip.malloc(64)
    assert (caught.value.code, hip.hipMemGetInfo()) == (OUT_OF_MEMORY, free)
    hip.hipFree(hip.malloc(64))
    hip.hipFree(first)


def test_any_call_can_be_chosen_by_its_number(hipsim: HipsimBench, hip: Any, error: Any) -> None:
    hipsim.fail_next("*", 719, nth=3)
    hip.hipGetDevice()
    hip.hipGetDeviceCount()
    with pytest.raises(error, match="hipMemGetInfo: a failure was asked for"):
        hip.hipMemGetInfo()
    hip.hipMemGetInfo()


def test_requests_that_mean_nothing_are_refused(hipsim: HipsimBench) -> None:
    for code, nth in ((0, 1), (2, 0)):
        with pytest.raises(ValueError, match="both are 1 or more"):
            hipsim.fail_next("hipMalloc", code, nth=nth)
    for name in ("hipMaloc", "malloc", ""):
        with pytest.raises(ValueError, match=f"no function {name!r} of HIP is there to fail"):
            hipsim.fail_next(name, OUT_OF_MEMORY)


def test_the_environment_can_ask_for_failures() -> None:
    script = """
from flydsl_hipsim.simulator import hip_functions
import ctypes, flydsl_hipsim
flydsl_hipsim.install()
hip, p = hip_functions(), ctypes.c_void_p()
print([hip.hipMalloc(ctypes.byref(p), ctypes.c_size_t(8)) for _ in range(4)], hip.hipDeviceSynchronize())
"""
    environment = {**os.environ, "FLYSIM_HIP_FAIL": "hipMalloc:2:2,hipMaloc:1:2,hipDeviceSynchronize:1:719"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[0, 2, 0, 0] 719"
    assert (
        "FLYSIM_HIP_FAIL is hipMalloc:2:2,hipMaloc:1:2,hipDeviceSynchronize:1:719: no function hipMaloc" in done.stderr
    )


def work(runtime: HipsimRuntime) -> None:
    """Every call of a DeviceRuntime; what it makes it gives back, also when a call fails."""
    host, made = ctypes.create_string_buffer(64), list[Any]()
    try:
        runtime.device_info(1)
        pointer = runtime.allocate(1, 64)
        made.append(lambda: runtime.free(pointer))
        stream = runtime.create_stream(0)
        made.append(lambda: runtime.destroy_stream(stream))
        event = runtime.create_event(0)
        made.append(lambda: runtime.destroy_event(event))
        runtime.copy(pointer, ctypes.addressof(host), 64, 0, CopyKind.HOST_TO_DEVICE)
        runtime.memset(pointer, 7, 64, stream)
        runtime.record_event(event, stream)
        runtime.stream_wait_event(stream, event)
        runtime.synchronize_event(event)
        runtime.elapsed_ms(event, event)
        runtime.copy(ctypes.addressof(host), pointer, 64, stream, CopyKind.DEVICE_TO_HOST)
        runtime.synchronize_stream(stream)
        runtime.synchronize(1)
        assert host.raw == b"\7" * 64
    finally:
        for give_back in reversed(made):
            give_back()


def test_every_call_of_the_runtime_may_fail_and_leaves_nothing_behind(hipsim: HipsimBench) -> None:
    runtime = HipsimRuntime()
    work(runtime)
    before, leaks = hipsim.calls(), hipsim.report()
    work(runtime)
    used = {name: count - before.get(name, 0) for name, count in hipsim.calls().items() if count > before.get(name, 0)}
    assert {"hipMalloc", "hipStreamWaitEvent", "hipEventElapsedTime", "hipSetDevice", "hipMemcpyAsync"} <= set(used)
    harmless = {"hipFree", "hipStreamDestroy", "hipEventDestroy", "hipSetDevice", "hipThreadExchangeStreamCaptureMode"}
    for name in sorted(set(used) - harmless):
        for nth in range(1, used[name] + 1):
            hipsim.fail_next(name, 719, nth=nth)
            with pytest.raises(FlyDSLError):
                work(runtime)
            assert (hipsim.report(), runtime.current_ordinal()) == (leaks, 0), (name, nth)
    work(runtime)


def test_a_failing_change_of_the_device_loses_nothing(hipsim: HipsimBench, hip: Any) -> None:
    runtime, leaks = HipsimRuntime(), hipsim.report()
    hipsim.fail_next("hipSetDevice", 719)
    with pytest.raises(FlyDSLError, match="hipSetDevice: hipErrorLaunchFailure: unspecified launch failure"):
        runtime.allocate(1, 64)
    assert (hipsim.report(), runtime.current_ordinal()) == (leaks, 0)
    hipsim.fail_next("hipSetDevice", 719, nth=2)  # the way back
    runtime.free(runtime.allocate(1, 64))
    assert hipsim.report() == leaks
