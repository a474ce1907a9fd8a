"""The device runtime `cpu`, over the native library.

Device memory is host memory. Stream 0 is synchronous; created streams are ordered, run on the worker threads, and do
not wait for stream 0 (as non-blocking streams elsewhere).
"""

from __future__ import annotations

import ctypes
import os
from functools import cached_property

from flydsl.backend.runtime import failure_of
from flydsl.base.errors import LibraryMissingError, NoDeviceError, RuntimeFailure, SettingError
from flydsl.plugins import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl_cpu.runtime.interrupts import INTERRUPTED, handle_signals, raise_interrupt
from flydsl_cpu.runtime.library import load_library
from flydsl_cpu.settings import cpu
from flydsl_cpu.target import host_arch

_WARP_SIZE = 32
_NOT_READY = 7
"""What the library says of an event that is not complete."""


class CpuRuntime(DeviceRuntime):
    """One device, ordinal 0: the processors that this process may run on."""

    name = "cpu"
    kind = "cpu"
    unloads_unused = True
    default_stream_waits = True

    def __init__(self) -> None:
        """SettingError for a wrong FLYDSL_CPU_THREADS or FLYDSL_CPU_SHARED_BYTES."""
        self._threads, self._shared_bytes = cpu.threads, cpu.shared_bytes

    @cached_property
    def _library(self) -> ctypes.CDLL:
        """The native library, configured; NoDeviceError when it cannot be loaded."""
        try:
            library = load_library()
        except LibraryMissingError as error:
            raise NoDeviceError(f"the cpu runtime cannot be used: {error}") from None
        code = library.flycpu_configure(self._threads, self._shared_bytes)
        if code:
            raise SettingError(f"FLYDSL_CPU_THREADS is {self._threads!r}: {self._text(library, code)}")
        handle_signals(library)
        return library

    @staticmethod
    def _text(library: ctypes.CDLL, code: int) -> str:
        text: bytes = library.flycpu_error_message(code)
        return text.decode(errors="replace")

    def _check(self, code: int) -> None:
        if code:
            raise failure_of(code, self.error_message(code))

    def _check_ordinal(self, ordinal: int) -> None:
        if ordinal != 0:
            raise NoDeviceError(f"there is no cpu device {ordinal!r}, only device 0")

    def status(self) -> DeviceStatus:
        """Unavailable only when the native library is missing or does not take a setting."""
        try:
            _ = self._library
        except (NoDeviceError, SettingError) as error:
            return DeviceStatus(False, str(error))
        return DeviceStatus(True)

    def device_count(self) -> int:
        """1, or 0 without the native library."""
        return int(self.status().available)

    def device_info(self, ordinal: int) -> DeviceInfo:
        """The processor; memory is that of the machine."""
        self._check_ordinal(ordinal)
        return DeviceInfo(
            ordinal=0,
            name=f"{_processor_name()} ({self._library.flycpu_threads()} threads)",
            arch=host_arch(),
            memory_bytes=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
            warp_size=_WARP_SIZE,
            max_threads_per_block=self._library.flycpu_threads_per_block(),
            shared_bytes_per_block=self._library.flycpu_shared_bytes(),
            compute_units=self._library.flycpu_threads(),
        )

    def current_ordinal(self) -> int:
        """Always 0."""
        return 0

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """A 256-byte aligned pointer; never 0."""
        self._check_ordinal(ordinal)
        if nbytes < 0:
            raise RuntimeFailure(f"the size of an allocation must not be negative, got {nbytes!r}")
        out = ctypes.c_void_p()
        self._check(self._library.flycpu_allocate(nbytes, ctypes.byref(out)))
        return out.value or 0

    def free(self, pointer: int) -> None:
        """Waits for all streams first."""
        self._check(self._library.flycpu_free(pointer))

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """Copies by the worker threads; overlapping ranges are copied as memmove does."""
        self._check(self._library.flycpu_copy(destination, source, nbytes, stream))

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """Sets bytes by the worker threads."""
        self._check(self._library.flycpu_memset(destination, value, nbytes, stream))

    def create_stream(self, ordinal: int) -> int:
        """A handle that is never used again after its destruction."""
        self._check_ordinal(ordinal)
        out = ctypes.c_void_p()
        self._check(self._library.flycpu_stream_create(ctypes.byref(out)))
        return out.value or 0

    def destroy_stream(self, stream: int) -> None:
        """Work left in the stream still runs."""
        self._check(self._library.flycpu_stream_destroy(stream))

    def synchronize_stream(self, stream: int) -> None:
        """Raises the error of asynchronous work, if any failed since the last time."""
        self._check(self._library.flycpu_stream_synchronize(stream))

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """All events have times, whatever `timing` says."""
        self._check_ordinal(ordinal)
        out = ctypes.c_void_p()
        self._check(self._library.flycpu_event_create(ctypes.byref(out)))
        return out.value or 0

    def destroy_event(self, event: int) -> None:
        """Streams that wait for the event still do."""
        self._check(self._library.flycpu_event_destroy(event))

    def record_event(self, event: int, stream: int) -> None:
        """On stream 0 the event is complete at once."""
        self._check(self._library.flycpu_event_record(event, stream))

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Waits for the latest recording at this moment; on stream 0 the caller blocks."""
        self._check(self._library.flycpu_stream_wait_event(stream, event))

    def synchronize_event(self, event: int) -> None:
        """Returns at once for an event that was never recorded."""
        self._check(self._library.flycpu_event_synchronize(event))

    def is_reached(self, event: int) -> bool:
        """A failure of the stream is left to who waits for it."""
        code = self._library.flycpu_event_elapsed(event, event, ctypes.byref(ctypes.c_double()))
        if code != _NOT_READY:
            self._check(code)
        return bool(code != _NOT_READY)

    def elapsed_ms(self, start: int, end: int) -> float:
        """Both events must be recorded and complete."""
        out = ctypes.c_double()
        self._check(self._library.flycpu_event_elapsed(start, end, ctypes.byref(out)))
        return out.value

    def synchronize(self, ordinal: int) -> None:
        """Waits for all streams, destroyed ones included."""
        self._check_ordinal(ordinal)
        self._check(self._library.flycpu_synchronize())

    def max_blocks_per_unit(self, ordinal: int, kernel: int, block: tuple[int, ...]) -> int:
        """1: a worker thread runs one block at a time."""
        self._check_ordinal(ordinal)
        return 1

    def api_table(self) -> int:
        """Address of the native library's constant table."""
        address: int = self._library.flycpu_api()
        return address

    def error_message(self, code: int) -> str:
        """The explanation of this thread's last failure of that code, else the code's general text.

        For a wait that a signal handler ended, what that raised is raised here.
        """
        if code == INTERRUPTED:
            raise_interrupt(self._library)
        return self._text(self._library, code)


def _processor_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return os.uname().machine
