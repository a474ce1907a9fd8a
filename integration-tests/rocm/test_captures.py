"""Kernels in streams that HIP captures: the graph runs them again, whenever their code was loaded."""

from __future__ import annotations

import ctypes
import gc
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.dlpack_capsules import Exporting, capsule_of

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import RuntimeFailure, UnsupportedTensorError
from flydsl.plugins import register_tensor_adaptor
from flydsl.runtime.device import Device
from flydsl.runtime.stream import Stream
from flydsl.testing.suite.device_array import DeviceArray, adaptor_manifest
from flydsl_hipsim.bench import HipsimBench

_DLPACK_ROCM = 10


@flyc.kernel
def add_one_kernel(x: fx.Tensor, n: fx.Int32):
    i = fx.block_idx.x * 64 + fx.thread_idx.x
    if i < n:
        x[i] = x[i] + 1.0


@pytest.fixture
def add_one() -> Any:
    """A function that was not called yet: nothing of it is loaded."""

    @flyc.jit
    def add_one(x: fx.Tensor, n: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        add_one_kernel(x, n).launch(grid=(n + 63) // 64, block=64, stream=stream)

    return add_one


@pytest.fixture
def hip(hipsim: HipsimBench) -> Any:
    hipsim.use("gfx942")
    register_tensor_adaptor(adaptor_manifest())
    from rocm.bindings import hip

    return hip


@pytest.fixture
def array(hip: Any) -> DeviceArray:
    return DeviceArray.copy_of(np.zeros(100, np.float32), Device(), _DLPACK_ROCM)


@pytest.fixture
def stream(hip: Any) -> Iterator[Stream]:
    with Device().create_stream() as stream:
        yield stream


class Capture:
    """What a stream was asked to do between two moments, to be done again."""

    def __init__(self, hip: Any, stream: Stream) -> None:
        self.hip, self.stream, self.graph = hip, stream, None

    def __enter__(self) -> Capture:
        assert not int(self.hip.hipStreamBeginCapture(self.stream.handle, self.hip.hipStreamCaptureMode(0))[0])
        return self

    def __exit__(self, *_: object) -> None:
        code, self.graph = self.hip.hipStreamEndCapture(self.stream.handle)
        self.code = int(code)

    def run(self, times: int) -> None:
        native = ctypes.CDLL("libamdhip64.so")
        made = ctypes.c_void_p()
        graph = ctypes.c_void_p(int(self.graph))
        assert native.hipGraphInstantiate(ctypes.byref(made), graph, None, None, ctypes.c_size_t(0)) == 0
        for _ in range(times):
            assert native.hipGraphLaunch(made, ctypes.c_void_p(self.stream.handle)) == 0
        self.stream.sync()
        assert native.hipGraphExecDestroy(made) == 0


def test_a_first_call_inside_of_a_capture_is_part_of_the_graph(
    hip: Any, add_one: Any, array: DeviceArray, stream: Stream
) -> None:
    with Capture(hip, stream) as capture:
        for _ in range(3):
            add_one(array, 100, stream.handle)
    assert not array.numpy().any()
    capture.run(4)
    np.testing.assert_array_equal(array.numpy(), np.full(100, 12, np.float32))


def test_code_that_a_graph_runs_stays_loaded(hip: Any, add_one: Any, array: DeviceArray, stream: Stream) -> None:
    prepared = flyc.compile(add_one, array, 100, stream.handle, launch=False)
    array.buffer.fill(0)
    with Capture(hip, stream) as capture:
        prepared(array, 100, stream.handle)
    del prepared, add_one
    gc.collect()
    capture.run(2)
    np.testing.assert_array_equal(array.numpy(), np.full(100, 2, np.float32))


@flyc.kernel
def copy_kernel(x: fx.Tensor, y: fx.Tensor):
    i = fx.thread_idx.x
    y[i] = x[i] * 2.0


@flyc.jit
def copy(x: fx.Tensor, y: fx.Tensor, stream: fx.Stream = fx.Stream(None)):
    copy_kernel(x, y).launch(grid=1, block=10, stream=stream)


class Shown(np.ndarray):
    """What a capsule keeps alive, which a weak reference can be to."""


class Exports:
    """Copies of an array on the device, another one for each question; those whose capsules have gone are `dropped`.

    They are made beforehand, and given back afterwards: neither can be while a stream is captured.
    """

    def __init__(self, array: np.ndarray[Any, Any], flags: int = 0) -> None:
        self.base = array if array.base is None else array.base
        self.array, self.flags = array, flags
        self.copies = [DeviceArray.copy_of(np.ascontiguousarray(self.base), Device(), _DLPACK_ROCM) for _ in range(12)]
        self.dropped: list[DeviceArray] = []
        self._rest = iter(self.copies)

    def object(self) -> Any:
        """What exports them."""
        return Exporting(self._export, (_DLPACK_ROCM, 0))

    def _export(self) -> Any:
        shown, copied = self.array.view(Shown), next(self._rest)
        weakref.finalize(shown, self.dropped.append, copied)
        address = copied.buffer.handle + self.array.ctypes.data - self.base.ctypes.data
        return capsule_of(shown, device=(_DLPACK_ROCM, 0), flags=self.flags, changed={"data": address})


@pytest.mark.parametrize("is_known", [True, False], ids=["called before", "first call"])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_exports_of_dlpack_live_as_long_as_a_graph_may_read_them(
    hip: Any, array: DeviceArray, stream: Stream, is_known: bool, step: int
) -> None:
    values = np.arange(20 if step == 2 else 10, dtype=np.float32)[::step]
    exports = Exports(values)
    source = exports.object()
    if is_known:
        copy(source, array, stream.handle)
        stream.sync()
        array.buffer.fill(0)
    with Capture(hip, stream) as capture:
        copy(source, array, stream.handle)
    assert capture.code == 0
    del source
    for _ in range(2):
        time.sleep(0.1)  # whoever looks which work has ended has looked
        gc.collect()
    for dropped in exports.dropped:
        dropped.buffer.fill(0xFF)
    capture.run(2)
    np.testing.assert_array_equal(array.numpy()[:10], values * 2)


def test_a_read_only_export_is_not_written_inside_of_a_capture(hip: Any, array: DeviceArray, stream: Stream) -> None:
    target = Exports(np.zeros(10, np.float32), flags=1).object()
    with Capture(hip, stream) as capture:
        for _ in range(2):
            with pytest.raises(UnsupportedTensorError, match="read-only"):
                copy(array, target, stream.handle)
        copy(array, array, stream.handle)
    assert capture.code == 0
    capture.run(1)


def test_memory_is_allocated_and_code_loaded_beside_captures_of_other_threads(
    hip: Any, add_one: Any, array: DeviceArray, stream: Stream
) -> None:
    other = DeviceArray.copy_of(np.zeros(100, np.float32), Device(), _DLPACK_ROCM)

    made = []

    def work() -> None:
        made.append(Device().allocate(4096))  # giving memory back waits for the device, which a capture forbids
        with Device().create_stream() as mine:
            add_one(other, 100, mine.handle)
            mine.sync()

    with Capture(hip, stream) as capture:
        add_one(array, 100, stream.handle)
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    capture.run(1)
    assert made[0].handle
    assert (array.numpy() == 1).all()
    assert (other.numpy() == 1).all()


def test_waiting_for_a_captured_stream_is_an_error_with_hips_name(
    hip: Any, add_one: Any, array: DeviceArray, stream: Stream
) -> None:
    with Capture(hip, stream) as capture:
        add_one(array, 100, stream.handle)
        with pytest.raises(RuntimeFailure, match="hipStreamSynchronize: hipErrorStreamCaptureUnsupported"):
            stream.sync()
    assert capture.code != 0
    add_one(array, 100, stream.handle)
    stream.sync()
    assert (array.numpy() == 1).all()


@pytest.mark.parametrize("function", ["hipModuleLoadData", "hipModuleGetFunction", "hipModuleLaunchKernel"])
def test_a_call_of_hip_that_fails_is_named_with_the_kernel(
    hip: Any, add_one: Any, array: DeviceArray, hipsim: HipsimBench, function: str
) -> None:
    hipsim.fail_next(function, 2)
    with pytest.raises(RuntimeFailure, match=f"{function}: .*hipErrorOutOfMemory: ") as caught:
        add_one(array, 100)
    assert caught.value.code == 2
    assert caught.value.kernel == ("" if function == "hipModuleLoadData" else "add_one_kernel_0")
    add_one(array, 100)
    Device().sync()
    assert (array.numpy() == 1).all()
