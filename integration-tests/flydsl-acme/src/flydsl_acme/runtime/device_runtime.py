"""The runtime `acme`: host memory as device memory; what is launched is logged, not run."""

from __future__ import annotations

import ctypes
from typing import Any

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.runtime.abi import ABI_VERSION, FlyRuntimeApi, LaunchFn, ModuleLoadFn, ModuleUnloadFn

__all__ = ["AcmeRuntime"]

_BAD_IMAGE = 7
_MAGIC = b"ACME\n"


class AcmeRuntime(DeviceRuntime):
    """One imaginary device. `launches` holds kernel name, grid and block of each launch."""

    name = "acme"
    kind = "acme"

    def __init__(self) -> None:
        self.launches: list[tuple[str, tuple[int, ...], tuple[int, ...]]] = []
        self._memory: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self._kernels: list[str] = []
        self._modules: list[Any] = []
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
        if ordinal != 0:
            raise NoDeviceError(f"there is no device {ordinal!r}: acme has 1")
        return DeviceInfo(0, "Acme One", "acme1", 1 << 20, 16, 256, 4096)

    def current_ordinal(self) -> int:
        """0."""
        return 0

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """Host memory."""
        buffer = ctypes.create_string_buffer(max(nbytes, 1))
        pointer = ctypes.addressof(buffer)
        self._memory[pointer] = buffer
        return pointer

    def free(self, pointer: int) -> None:
        """RuntimeFailure for a pointer that is not allocated."""
        if pointer and self._memory.pop(pointer, None) is None:
            raise RuntimeFailure(f"{pointer:#x} is not allocated", code=1)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """At once."""
        ctypes.memmove(destination, source, nbytes)

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """At once."""
        ctypes.memset(destination, value, nbytes)

    def create_stream(self, ordinal: int) -> int:
        """All streams are one."""
        return 1

    def destroy_stream(self, stream: int) -> None:
        """Nothing to release."""

    def synchronize_stream(self, stream: int) -> None:
        """Everything is complete already."""

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """All events are one."""
        return 1

    def destroy_event(self, event: int) -> None:
        """Nothing to release."""

    def record_event(self, event: int, stream: int) -> None:
        """Everything is complete already."""

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Everything is complete already."""

    def synchronize_event(self, event: int) -> None:
        """Everything is complete already."""

    def elapsed_ms(self, start: int, end: int) -> float:
        """No time passes."""
        return 0.0

    def synchronize(self, ordinal: int) -> None:
        """Everything is complete already."""

    def api_table(self) -> int:
        """The table of the callbacks below."""
        return ctypes.addressof(self._api)

    def error_message(self, code: int) -> str:
        """The one error there is."""
        return "not an acme code object" if code == _BAD_IMAGE else f"unknown error {code}"

    def _load(self, this: Any, ordinal: int, image: int, size: int, names: Any, count: int, module: Any) -> int:
        if not ctypes.string_at(image, size).startswith(_MAGIC):
            return _BAD_IMAGE
        first = len(self._kernels) + 1
        self._kernels += [names[index].decode() for index in range(count)]
        handles = (ctypes.c_void_p * count)(*range(first, first + count))
        self._modules.append(handles)
        module[0] = ctypes.addressof(handles)
        return 0

    def _launch(self, this: Any, kernel: int, config: Any, stream: Any, parameters: Any) -> int:
        shape = config.contents
        self.launches.append((self._kernels[kernel - 1], tuple(shape.grid), tuple(shape.block)))
        return 0
