"""A compile backend and a device runtime that need no device or compiler: what is asked of them is recorded."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.passes.default import FLY_PIPELINE
from flydsl.plugins.compile_backend import CompileBackend, Options
from flydsl.plugins.device_runtime import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest
from flydsl.testing.fake_table import FakeTable
from flydsl.toolchain.protocol import Toolchain

__all__ = ["FakeBackend", "FakeRuntime", "fake_backend", "fake_runtime"]

_CPU = 1


class FakeBackend(CompileBackend):
    """Runs the Fly passes; its code object is a digest of the module they give."""

    def __init__(self, name: str = "fake", arches: Sequence[str] = ("fake1", "fake2")) -> None:
        super().__init__()
        self.name, self._arches = name, tuple(arches)

    def default_arch(self) -> str:
        """The first one."""
        return self._arches[0]

    def warp_size(self, arch: str) -> int:
        """32."""
        return 32

    def supports_arch(self, arch: str) -> bool:
        """Whether the fake was made for it."""
        return arch in self._arches

    def pipeline_fragments(self, *, arch: str, options: Options | None = None) -> list[str]:
        """The passes of the core."""
        return list(FLY_PIPELINE)

    def gpu_module_targets(self, *, arch: str) -> list[str]:
        """None."""
        return []

    def emit_code_object(
        self, module_text: str, *, arch: str, toolchain: Toolchain, options: Options | None = None
    ) -> bytes:
        """Backend, architecture and sha256 of the text."""
        return f"{self.name} {arch} {sha256(module_text.encode()).hexdigest()}".encode()


class FakeRuntime(DeviceRuntime):
    """Devices whose memory is host memory. `calls` records what was asked, `table` what launchers asked."""

    def __init__(self, name: str = "fake", kind: str = "fake", devices: int = 1) -> None:
        self.name, self.kind, self._devices = name, kind, devices
        self.calls: list[tuple[Any, ...]] = []
        self.table = FakeTable()
        self.memory: dict[int, ctypes.Array[ctypes.c_char]] = {}
        self._handles = iter(range(1, 1 << 30))

    def status(self) -> DeviceStatus:
        """Available when it has devices."""
        return DeviceStatus(True) if self._devices else DeviceStatus(False, "the fake was made without devices")

    def device_count(self) -> int:
        """As many as it was made with."""
        return self._devices

    def device_info(self, ordinal: int) -> DeviceInfo:
        """A small device."""
        if not 0 <= ordinal < self._devices:
            raise NoDeviceError(f"there is no device {ordinal!r}: the fake has {self._devices}")
        return DeviceInfo(ordinal, f"fake {ordinal}", "fake1", 1 << 30, 32, 1024, 48 << 10)

    def current_ordinal(self) -> int:
        """0."""
        return 0

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """Host memory, kept until it is freed."""
        self.calls.append(("allocate", ordinal, nbytes))
        buffer = ctypes.create_string_buffer(max(nbytes, 1))
        pointer = ctypes.addressof(buffer)
        self.memory[pointer] = buffer
        return pointer

    def free(self, pointer: int) -> None:
        """RuntimeFailure for what was not allocated or is free already."""
        self.calls.append(("free", pointer))
        if pointer and self.memory.pop(pointer, None) is None:
            raise RuntimeFailure(f"{pointer:#x} is not allocated", code=1)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """Copies at once."""
        self.calls.append(("copy", destination, source, nbytes, stream, kind))
        ctypes.memmove(destination, source, nbytes)

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """Sets at once."""
        self.calls.append(("memset", destination, value, nbytes, stream))
        ctypes.memset(destination, value, nbytes)

    def create_stream(self, ordinal: int) -> int:
        """A new number."""
        self.calls.append(("create_stream", ordinal))
        return next(self._handles)

    def destroy_stream(self, stream: int) -> None:
        """Only recorded."""
        self.calls.append(("destroy_stream", stream))

    def synchronize_stream(self, stream: int) -> None:
        """Only recorded."""
        self.calls.append(("synchronize_stream", stream))

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """A new number."""
        self.calls.append(("create_event", ordinal, timing))
        return next(self._handles)

    def destroy_event(self, event: int) -> None:
        """Only recorded."""
        self.calls.append(("destroy_event", event))

    def record_event(self, event: int, stream: int) -> None:
        """Only recorded."""
        self.calls.append(("record_event", event, stream))

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Only recorded."""
        self.calls.append(("stream_wait_event", stream, event))

    def synchronize_event(self, event: int) -> None:
        """Only recorded."""
        self.calls.append(("synchronize_event", event))

    def elapsed_ms(self, start: int, end: int) -> float:
        """1."""
        self.calls.append(("elapsed_ms", start, end))
        return 1.0

    def synchronize(self, ordinal: int) -> None:
        """Only recorded."""
        self.calls.append(("synchronize", ordinal))

    def api_table(self) -> int:
        """The address of the recording table."""
        return self.table.address

    def error_message(self, code: int) -> str:
        """The number in words."""
        return f"fake error {code}"


def fake_backend(name: str = "fake", *, runtime_kind: str = "fake", **fields: Any) -> CompileBackendManifest:
    """The manifest of a FakeBackend; `fields` replace those of the manifest."""
    made = {"factory": partial(FakeBackend, name), "distribution": f"flydsl-{name}", "version": "1.0", **fields}
    return CompileBackendManifest(name=name, runtime_kind=runtime_kind, **made)


def fake_runtime(name: str = "fake", *, kind: str = "fake", devices: int = 1, **fields: Any) -> DeviceRuntimeManifest:
    """The manifest of a FakeRuntime; `fields` replace those of the manifest."""
    made = {
        "factory": partial(FakeRuntime, name, kind, devices),
        "distribution": f"flydsl-{name}",
        "version": "1.0",
        "device_kinds": frozenset({_CPU}),
        **fields,
    }
    return DeviceRuntimeManifest(name=name, kind=kind, **made)
