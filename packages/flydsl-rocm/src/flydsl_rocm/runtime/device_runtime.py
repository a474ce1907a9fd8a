"""The device runtime `hip`, over hip-python; launches go past Python.

hip-python takes 0.2 s to import, so only memory, streams and events import it. Created streams do not wait for the
default stream.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from flydsl.base.errors import LibraryMissingError, NoDeviceError, RuntimeFailure
from flydsl.plugins import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl_rocm.runtime.library import open_library, table_library

_NO_DEVICE = 100
_NOT_READY = 600
_PEER_ACCESS_ALREADY_ENABLED = 704
_RELAXED = 2
"""hipStreamCaptureModeRelaxed: calls that a capture cannot hold do not end the captures of other threads."""


class HipRuntime(DeviceRuntime):
    """The AMD GPUs of this machine."""

    name = "hip"
    kind = "rocm"

    @cached_property
    def _table(self) -> ctypes.CDLL:
        """The native table with HIP open under it; NoDeviceError when there is no HIP."""
        try:
            return open_library()
        except LibraryMissingError as error:
            raise NoDeviceError(f"the hip runtime cannot be used: {error}") from None

    @cached_property
    def _hip(self) -> Any:
        """hip-python's module."""
        _ = self._table  # its error says more than hip-python's
        from rocm.bindings import hip

        return hip

    def _call(self, function: str, *arguments: Any) -> Any:
        """Call a function of hip-python; its results without the error code."""
        code, *results = getattr(self._hip, function)(*arguments)
        if int(code) != 0:
            text: bytes = self._table.flyrocm_error_string(int(code))
            raise RuntimeFailure(f"{function}: {text.decode(errors='replace')}", int(code))
        return results[0] if results else None

    @contextmanager
    def _harmless_to_captures(self) -> Iterator[None]:
        """Let this thread do what streams do not order: captures of other threads stay whole."""
        before = self._table.flyrocm_exchange_capture_mode(_RELAXED)
        try:
            yield
        finally:
            self._table.flyrocm_exchange_capture_mode(before)

    @contextmanager
    def _on(self, ordinal: int) -> Iterator[None]:
        """Make a device the current one for a while; failing to go back is no error that hides what a call made."""
        current = self.current_ordinal()
        if current == ordinal:
            yield
            return
        self._call("hipSetDevice", ordinal)
        try:
            yield
        finally:
            self._hip.hipSetDevice(current)

    def status(self) -> DeviceStatus:
        """Unavailable without hip-python, without the HIP library, and without a device."""
        try:
            count = self._count()
        except NoDeviceError as error:
            return DeviceStatus(False, str(error))
        except RuntimeFailure as error:
            return DeviceStatus(False, f"the driver reports an error: {error}")
        return DeviceStatus(True) if count else DeviceStatus(False, "the driver reports no device")

    def _count(self) -> int:
        count = ctypes.c_int32()
        code = self._table.flyrocm_device_count(ctypes.byref(count))
        if code not in (0, _NO_DEVICE):
            raise RuntimeFailure(self.error_message(code), code)
        return count.value if code == 0 else 0

    def device_count(self) -> int:
        """Number of visible GPUs; 0 when HIP cannot be used."""
        try:
            return self._count()
        except (NoDeviceError, RuntimeFailure):
            return 0

    def device_info(self, ordinal: int) -> DeviceInfo:
        """What the driver says; `arch` is the chip, such as gfx942, without its features."""
        count = self.device_count()
        if not 0 <= ordinal < count:
            raise NoDeviceError(f"there is no GPU {ordinal!r}: the driver reports {count}")
        properties = self._call("hipGetDeviceProperties", ordinal)
        return DeviceInfo(
            ordinal=ordinal,
            name=properties.name,
            arch=properties.gcnArchName.partition(":")[0],
            memory_bytes=properties.totalGlobalMem,
            warp_size=properties.warpSize,
            max_threads_per_block=properties.maxThreadsPerBlock,
            shared_bytes_per_block=properties.sharedMemPerBlock,
            compute_units=properties.multiProcessorCount,
        )

    def current_ordinal(self) -> int:
        """The calling thread's current GPU."""
        ordinal = ctypes.c_int32()
        code = self._table.flyrocm_current_device(ctypes.byref(ordinal))
        if code:
            raise RuntimeFailure(self.error_message(code), code)
        return ordinal.value

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """Device memory of one GPU."""
        with self._on(ordinal), self._harmless_to_captures():
            return int(self._call("hipMalloc", nbytes) or 0)

    def free(self, pointer: int) -> None:
        """Waits for the device, as HIP does."""
        self._call("hipFree", pointer)

    def allocate_on(self, stream: int, ordinal: int, nbytes: int) -> int:
        """From the device's pool of memory; by `allocate` on a device or with a HIP library that has none."""
        if not self._has_pool(ordinal):
            return self.allocate(ordinal, nbytes)
        with self._on(ordinal):
            return int(self._call("hipMallocAsync", nbytes, stream or None) or 0)

    def free_on(self, stream: int, pointer: int) -> None:
        """Enqueued; memory that is of no pool is freed so too, by HIP."""
        if pointer:
            self._call("hipFreeAsync", pointer, stream or None)

    def _has_pool(self, ordinal: int) -> bool:
        attribute = self._hip.hipDeviceAttribute_t.hipDeviceAttributeMemoryPoolsSupported
        return bool(self._call("hipDeviceGetAttribute", attribute, ordinal))

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """On stream 0 complete on return, on another stream enqueued."""
        direction = self._hip.hipMemcpyKind(int(kind))
        if stream:
            self._call("hipMemcpyAsync", destination, source, nbytes, direction, stream)
        else:
            self._call("hipMemcpy", destination, source, nbytes, direction)

    def copy_between(
        self, destination: int, to_ordinal: int, source: int, from_ordinal: int, nbytes: int, stream: int
    ) -> None:
        """Enqueued; HIP goes through the host where the devices cannot reach each other."""
        self._call("hipMemcpyPeerAsync", destination, to_ordinal, source, from_ordinal, nbytes, stream or None)

    def can_access(self, ordinal: int, peer: int) -> bool:
        """What the driver says; a device reaches its own memory."""
        return ordinal == peer or bool(self._call("hipDeviceCanAccessPeer", ordinal, peer))

    def enable_access(self, ordinal: int, peer: int) -> None:
        """Once for two devices, whoever asked first."""
        super().enable_access(ordinal, peer)
        if ordinal == peer:
            return
        with self._on(ordinal):
            try:
                self._call("hipDeviceEnablePeerAccess", peer, 0)
            except RuntimeFailure as error:
                if error.code != _PEER_ACCESS_ALREADY_ENABLED:
                    raise

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """Enqueued."""
        self._call("hipMemsetAsync", destination, value, nbytes, stream or None)

    def create_stream(self, ordinal: int) -> int:
        """A stream that does not wait for the default one."""
        with self._on(ordinal):
            return int(self._call("hipStreamCreateWithFlags", self._hip.hipStreamNonBlocking))

    def destroy_stream(self, stream: int) -> None:
        """Work left in the stream still runs."""
        self._call("hipStreamDestroy", stream)

    def synchronize_stream(self, stream: int) -> None:
        """Releases the GIL while it waits."""
        self._call("hipStreamSynchronize", stream or None)

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """Without `timing` the event is cheaper to record."""
        with self._on(ordinal):
            flags = self._hip.hipEventDefault if timing else self._hip.hipEventDisableTiming
            return int(self._call("hipEventCreateWithFlags", flags))

    def destroy_event(self, event: int) -> None:
        """Streams that wait for the event still do."""
        self._call("hipEventDestroy", event)

    def record_event(self, event: int, stream: int) -> None:
        """Marks the present end of the stream."""
        self._call("hipEventRecord", event, stream or None)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Waits for the latest recording at this moment, on the device."""
        self._call("hipStreamWaitEvent", stream or None, event, 0)

    def synchronize_event(self, event: int) -> None:
        """Releases the GIL while it waits."""
        self._call("hipEventSynchronize", event)

    def is_reached(self, event: int) -> bool:
        """Does not wait."""
        try:
            self._call("hipEventQuery", event)
        except RuntimeFailure as error:
            if error.code != _NOT_READY:
                raise
            return False
        return True

    def elapsed_ms(self, start: int, end: int) -> float:
        """Both events must be recorded and complete."""
        return float(self._call("hipEventElapsedTime", start, end))

    def synchronize(self, ordinal: int) -> None:
        """Waits for all streams of one GPU."""
        with self._on(ordinal):
            self._call("hipDeviceSynchronize")

    def api_table(self) -> int:
        """Address of the native library's constant table."""
        address: int = self._table.flyrocm_api()
        return address

    def error_message(self, code: int) -> str:
        """The explanation of this thread's last failure of that code, else HIP's text."""
        text: bytes = table_library().flyrocm_error_message(code)
        return text.decode(errors="replace")
