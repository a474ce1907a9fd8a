"""The runtime `acme`: host memory as device memory; kernels are interpreted, and everything is complete at once."""

from __future__ import annotations

import ctypes
import itertools
import time
from typing import Any

from flydsl.backend.runtime import ABI_VERSION, FlyRuntimeApi, LaunchFn, ModuleLoadFn, ModuleUnloadFn
from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl_acme.runtime import machine

_MEMORY = 1 << 26
_NO_MEMORY, _BAD_HANDLE = 1, 2


class AcmeRuntime(DeviceRuntime):
    """One imaginary device. `launches` holds kernel name, grid and block of each launch."""

    name = "acme"
    kind = "acme"

    def __init__(self) -> None:
        self.launches: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self._memory: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self._times: dict[int, float] = {}
        self._kernels: dict[int, machine.Kernel] = {}
        self._modules: list[Any] = []
        self._handles = itertools.count(1)
        callbacks = (ModuleLoadFn(self._load), ModuleUnloadFn(lambda _this, _module: 0), LaunchFn(self._launch))
        self._api = FlyRuntimeApi(ctypes.sizeof(FlyRuntimeApi), ABI_VERSION, None, *callbacks)

    def status(self) -> DeviceStatus:
        """Always there, as it is imaginary."""
        return DeviceStatus(True)

    def device_count(self) -> int:
        """1."""
        return 1

    def device_info(self, ordinal: int) -> DeviceInfo:
        """Modest."""
        self._check(ordinal)
        return DeviceInfo(0, "Acme One", "acme1", _MEMORY, machine.WAVE, machine.MAX_THREADS, 4096)

    def current_ordinal(self) -> int:
        """0."""
        return 0

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """Host memory, as much as the device is said to have."""
        self._check(ordinal)
        if sum(map(ctypes.sizeof, self._memory.values())) + nbytes > _MEMORY:
            raise RuntimeFailure(f"no {nbytes} bytes of memory are left", _NO_MEMORY)
        block = ctypes.create_string_buffer(max(nbytes, 1) + 16)
        pointer = ctypes.addressof(block) + 15 & ~15
        self._memory[pointer] = block
        return pointer

    def free(self, pointer: int) -> None:
        """RuntimeFailure for a pointer that is not allocated."""
        if pointer and self._memory.pop(pointer, None) is None:
            raise RuntimeFailure(f"{pointer:#x} is not allocated", _BAD_HANDLE)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """At once."""
        ctypes.memmove(destination, source, nbytes)

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """At once."""
        ctypes.memset(destination, value, nbytes)

    def create_stream(self, ordinal: int) -> int:
        """A number."""
        self._check(ordinal)
        return next(self._handles)

    def destroy_stream(self, stream: int) -> None:
        """Nothing to release."""

    def synchronize_stream(self, stream: int) -> None:
        """Everything is complete already."""

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """A number."""
        self._check(ordinal)
        return next(self._handles)

    def destroy_event(self, event: int) -> None:
        """Forget its time."""
        self._times.pop(event, None)

    def record_event(self, event: int, stream: int) -> None:
        """The time now, as everything is complete already."""
        self._times[event] = time.perf_counter()

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Everything is complete already."""

    def synchronize_event(self, event: int) -> None:
        """Everything is complete already."""

    def elapsed_ms(self, start: int, end: int) -> float:
        """Between two recorded events."""
        try:
            return (self._times[end] - self._times[start]) * 1e3
        except KeyError as error:
            raise RuntimeFailure(f"event {error} was not recorded", _BAD_HANDLE) from None

    def synchronize(self, ordinal: int) -> None:
        """Everything is complete already."""

    def api_table(self) -> int:
        """The table of the callbacks below."""
        return ctypes.addressof(self._api)

    def error_message(self, code: int) -> str:
        """What the table's functions return."""
        return machine.ERRORS.get(code, f"unknown error {code}")

    def _check(self, ordinal: int) -> None:
        if ordinal != 0:
            raise NoDeviceError(f"there is no device {ordinal!r}: acme has 1")

    def _load(self, this: Any, ordinal: int, image: int, size: int, names: Any, count: int, module: Any) -> int:
        wanted = [names[index].decode() for index in range(count)]
        try:
            kernels = machine.load(ctypes.string_at(image, size), wanted)
        except (ValueError, KeyError):
            return machine.BAD_IMAGE
        numbers = [next(self._handles) for _ in kernels]
        self._kernels.update(zip(numbers, kernels, strict=True))
        handles = (ctypes.c_void_p * count)(*numbers)
        self._modules.append(handles)
        module[0] = ctypes.addressof(handles)
        return 0

    def _launch(self, this: Any, kernel: int, config: Any, stream: Any, parameters: Any) -> int:
        shape = config.contents
        grid, block = tuple(shape.grid), tuple(shape.block)
        if block[0] * block[1] * block[2] > machine.MAX_THREADS:
            return machine.BAD_LAUNCH
        found = self._kernels[kernel]
        values = [ctypes.string_at(parameters[i], shape.param_sizes[i]) for i in range(shape.n_params)]
        self.launches.append((found.name, grid, block))
        try:
            machine.run(found, grid, block, shape.shared_bytes, values)
        except Exception:  # nothing may be raised through C
            return machine.BAD_LAUNCH
        return 0
