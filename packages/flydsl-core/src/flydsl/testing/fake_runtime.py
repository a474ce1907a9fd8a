"""A device runtime without a device: every call is recorded, memory is host memory, launches go to a `FakeTable`."""

from __future__ import annotations

import ctypes
from typing import Any

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.testing.fake_table import FakeTable


class FakeRuntime(DeviceRuntime):
    """Devices whose memory is host memory.

    `calls` lists (name, arguments) in order; the method named `failing` raises RuntimeFailure; `table` records what
    launchers ask. The last device is the current one.
    """

    def __init__(self, name: str = "fake", kind: str = "fake", *, devices: int = 1, failing: str = "") -> None:
        self.name, self.kind = name, kind
        self.devices, self.failing = devices, failing
        self.calls: list[tuple[Any, ...]] = []
        self.memory: dict[int, Any] = {}
        self.table = FakeTable()
        self._next_handle = 0x1000

    def _record(self, name: str, *arguments: Any) -> None:
        if name == self.failing:
            raise RuntimeFailure(f"{name} fails", 1)
        self.calls.append((name, *arguments))

    def _new_handle(self) -> int:
        self._next_handle += 0x10
        return self._next_handle

    def status(self) -> DeviceStatus:
        return DeviceStatus(True) if self.devices else DeviceStatus(False, "the fake was made without devices")

    def device_count(self) -> int:
        return self.devices

    def device_info(self, ordinal: int) -> DeviceInfo:
        if not 0 <= ordinal < self.devices:
            raise NoDeviceError(f"there is no device {ordinal!r}: the fake has {self.devices}")
        return DeviceInfo(ordinal, f"fake {ordinal}", "fake1", 1 << 30, 32, 1024, 1 << 16)

    def current_ordinal(self) -> int:
        return self.devices - 1

    def allocate(self, ordinal: int, nbytes: int) -> int:
        self._record("allocate", ordinal, nbytes)
        block = ctypes.create_string_buffer(max(nbytes, 1))
        self.memory[ctypes.addressof(block)] = block
        return ctypes.addressof(block)

    def free(self, pointer: int) -> None:
        self._record("free", pointer)
        if pointer and self.memory.pop(pointer, None) is None:
            raise RuntimeFailure(f"{pointer:#x} is not allocated", code=1)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        self._record("copy", destination, source, nbytes, stream, kind)
        ctypes.memmove(destination, source, nbytes)

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        self._record("memset", destination, value, nbytes, stream)
        ctypes.memset(destination, value, nbytes)

    def create_stream(self, ordinal: int) -> int:
        self._record("create_stream", ordinal)
        return self._new_handle()

    def destroy_stream(self, stream: int) -> None:
        self._record("destroy_stream", stream)

    def synchronize_stream(self, stream: int) -> None:
        self._record("synchronize_stream", stream)

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        self._record("create_event", ordinal, timing)
        return self._new_handle()

    def destroy_event(self, event: int) -> None:
        self._record("destroy_event", event)

    def record_event(self, event: int, stream: int) -> None:
        self._record("record_event", event, stream)

    def stream_wait_event(self, stream: int, event: int) -> None:
        self._record("stream_wait_event", stream, event)

    def synchronize_event(self, event: int) -> None:
        self._record("synchronize_event", event)

    def elapsed_ms(self, start: int, end: int) -> float:
        self._record("elapsed_ms", start, end)
        return 1.5

    def synchronize(self, ordinal: int) -> None:
        self._record("synchronize", ordinal)

    def api_table(self) -> int:
        return self.table.address

    def error_message(self, code: int) -> str:
        return f"fake error {code}"
