"""The device runtime `cuda`, over the CUDA driver; launches go past Python.

Work runs in the primary context of a device, which CUDA's own runtime and frameworks over it use too, so that memory
and streams of one are those of the other. Created streams do not wait for the default stream.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from flydsl.base.errors import LibraryMissingError, NoDeviceError, RuntimeFailure
from flydsl.plugins import CopyKind, DeviceInfo, DeviceRuntime, DeviceStatus
from flydsl_cuda.runtime.library import driver_library, open_library, table_library
from flydsl_cuda.target import chip_of

_OUT_OF_MEMORY, _NO_DEVICE = 2, 100
_FAULTS = frozenset({700, 710, *range(714, 720)})
"""Codes that every call returns after a kernel has failed."""
_NOT_READY = 600
_PEER_ACCESS_ALREADY_ENABLED = 704
_RELAXED = 2
"""CU_STREAM_CAPTURE_MODE_RELAXED: calls that a capture cannot hold do not end the captures of other threads."""
_NON_BLOCKING, _DISABLE_TIMING = 1, 2
_MAX_THREADS, _WARP, _PROCESSORS, _MAJOR, _MINOR, _SHARED, _POOLS = 1, 10, 16, 75, 76, 97, 115
"""Attributes of a device; the shared memory is what a block may ask for."""


class CudaRuntime(DeviceRuntime):
    """The NVIDIA GPUs of this machine."""

    name = "cuda"
    kind = "cuda"

    def __init__(self) -> None:
        self._unpooled: set[int] = set()  # what `allocate_on` had to allocate at once
        self._has_failed = False  # a kernel has, and that was told

    @cached_property
    def _table(self) -> ctypes.CDLL:
        """The native table with the driver started under it; NoDeviceError when there is none."""
        try:
            return open_library()
        except LibraryMissingError as error:
            raise NoDeviceError(f"the cuda runtime cannot be used: {error}") from None

    def _call(self, function: str, *arguments: Any) -> None:
        """Call a function of the driver."""
        table = self._table
        code = getattr(driver_library(), function)(*arguments)
        if code:
            text: bytes = table.flycuda_error_string(code)
            self._has_failed |= code in _FAULTS
            raise RuntimeFailure(f"{_without_version(function)}: {text.decode(errors='replace')}", code)

    def _release(self, function: str, *arguments: Any) -> None:
        """Call a function that gives something back; a failed device has taken everything already."""
        had_failed = self._has_failed
        with self._here():
            try:
                self._call(function, *arguments)
            except RuntimeFailure as error:
                if error.code not in _FAULTS or not had_failed:
                    raise

    def _allocated(self, function: str, ordinal: int, nbytes: int, *arguments: Any) -> int:
        """Memory by a function of the driver; the error says how much there is."""
        pointer = ctypes.c_void_p()
        try:
            self._call(function, ctypes.byref(pointer), nbytes, *arguments)
        except RuntimeFailure as error:
            if error.code != _OUT_OF_MEMORY:
                raise
            raise RuntimeFailure(f"{error}: {nbytes} bytes for GPU {ordinal}{self._left()}", error.code) from None
        return pointer.value or 0

    def _left(self) -> str:
        """The free memory of the context's device, for messages."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        code = driver_library().cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        return "" if code else f", which has {free.value} of {total.value} left"

    def _check(self, code: int) -> None:
        """Raise for a code that a function of the table returned."""
        if code:
            raise RuntimeFailure(self.error_message(code), code)

    @contextmanager
    def _harmless_to_captures(self) -> Iterator[None]:
        """Let this thread do what streams do not order: captures of other threads stay whole."""
        before = self._table.flycuda_exchange_capture_mode(_RELAXED)
        try:
            yield
        finally:
            self._table.flycuda_exchange_capture_mode(before)

    @contextmanager
    def _on(self, ordinal: int) -> Iterator[None]:
        """Be in the primary context of a device for a while."""
        entered = ctypes.c_int32()
        self._check(self._table.flycuda_enter(ordinal, ctypes.byref(entered)))
        try:
            yield
        finally:
            self._table.flycuda_leave(entered.value)

    @contextmanager
    def _here(self) -> Iterator[None]:
        """Be in a context: a thread that has none is in that of the current device."""
        with self._on(self.current_ordinal()):
            yield

    def status(self) -> DeviceStatus:
        """Unavailable without the driver, with one that is too old, and without a device."""
        try:
            count = self._count()
        except NoDeviceError as error:
            return DeviceStatus(False, str(error))
        except RuntimeFailure as error:
            return DeviceStatus(False, f"the driver reports an error: {error}")
        return DeviceStatus(True) if count else DeviceStatus(False, "the driver reports no device")

    def _count(self) -> int:
        count = ctypes.c_int32()
        code = self._table.flycuda_device_count(ctypes.byref(count))
        if code != _NO_DEVICE:
            self._check(code)
        return count.value if code == 0 else 0

    def device_count(self) -> int:
        """Number of visible GPUs; 0 when CUDA cannot be used."""
        try:
            return self._count()
        except (NoDeviceError, RuntimeFailure):
            return 0

    def device_info(self, ordinal: int) -> DeviceInfo:
        """What the driver says; `arch` is the chip of its compute capability, such as sm_90a."""
        count = self.device_count()
        if not 0 <= ordinal < count:
            raise NoDeviceError(f"there is no GPU {ordinal!r}: the driver reports {count}")
        name, memory = ctypes.create_string_buffer(256), ctypes.c_size_t()
        self._call("cuDeviceGetName", name, len(name), ordinal)
        self._call("cuDeviceTotalMem_v2", ctypes.byref(memory), ordinal)
        return DeviceInfo(
            ordinal=ordinal,
            name=name.value.decode(errors="replace"),
            arch=chip_of(self._attribute(_MAJOR, ordinal), self._attribute(_MINOR, ordinal)),
            memory_bytes=memory.value,
            warp_size=self._attribute(_WARP, ordinal),
            max_threads_per_block=self._attribute(_MAX_THREADS, ordinal),
            shared_bytes_per_block=self._attribute(_SHARED, ordinal),
            compute_units=self._attribute(_PROCESSORS, ordinal),
        )

    def _attribute(self, attribute: int, ordinal: int) -> int:
        value = ctypes.c_int32()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), attribute, ordinal)
        return value.value

    def current_ordinal(self) -> int:
        """The GPU of the calling thread's context; the first one where there is none."""
        ordinal = ctypes.c_int32()
        self._check(self._table.flycuda_current_device(ctypes.byref(ordinal)))
        return ordinal.value

    def allocate(self, ordinal: int, nbytes: int) -> int:
        """Device memory of one GPU; none for 0 bytes."""
        if nbytes == 0:
            return 0
        with self._on(ordinal), self._harmless_to_captures():
            return self._allocated("cuMemAlloc_v2", ordinal, nbytes)

    def free(self, pointer: int) -> None:
        """Waits for the device, as the driver does."""
        if pointer:
            self._release("cuMemFree_v2", pointer)

    def allocate_on(self, stream: int, ordinal: int, nbytes: int) -> int:
        """From the device's pool of memory; by `allocate` on a device that has none."""
        if nbytes == 0:
            return 0
        if not self._attribute(_POOLS, ordinal):
            found = self.allocate(ordinal, nbytes)
            self._unpooled.add(found)
            return found
        with self._on(ordinal):
            return self._allocated("cuMemAllocAsync", ordinal, nbytes, stream or None)

    def free_on(self, stream: int, pointer: int) -> None:
        """Enqueued; memory that is of no pool is freed when the stream is done."""
        if pointer in self._unpooled:
            self._unpooled.discard(pointer)
            super().free_on(stream, pointer)
        elif pointer:
            self._release("cuMemFreeAsync", pointer, stream or None)

    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """On stream 0 complete on return, on another stream enqueued; the driver knows where an address is."""
        with self._here():
            if stream:
                self._call("cuMemcpyAsync", destination, source, nbytes, stream)
            else:
                self._call("cuMemcpy", destination, source, nbytes)

    def copy_between(
        self, destination: int, to_ordinal: int, source: int, from_ordinal: int, nbytes: int, stream: int
    ) -> None:
        """Enqueued; the driver goes through the host where the devices cannot reach each other."""
        to_context, from_context = self._primary(to_ordinal), self._primary(from_ordinal)
        with self._here():
            self._call("cuMemcpyPeerAsync", destination, to_context, source, from_context, nbytes, stream or None)

    def _primary(self, ordinal: int) -> int:
        context = ctypes.c_void_p()
        self._check(self._table.flycuda_primary_context(ordinal, ctypes.byref(context)))
        return context.value or 0

    def can_access(self, ordinal: int, peer: int) -> bool:
        """What the driver says; a device reaches its own memory."""
        if ordinal == peer:
            return True
        can = ctypes.c_int32()
        self._call("cuDeviceCanAccessPeer", ctypes.byref(can), ordinal, peer)
        return bool(can.value)

    def enable_access(self, ordinal: int, peer: int) -> None:
        """Once for two devices, whoever asked first."""
        super().enable_access(ordinal, peer)
        if ordinal == peer:
            return
        context = self._primary(peer)
        with self._on(ordinal):
            try:
                self._call("cuCtxEnablePeerAccess", context, 0)
            except RuntimeFailure as error:
                if error.code != _PEER_ACCESS_ALREADY_ENABLED:
                    raise

    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """Enqueued."""
        with self._here():
            self._call("cuMemsetD8Async", destination, value, nbytes, stream or None)

    def create_stream(self, ordinal: int) -> int:
        """A stream that does not wait for the default one."""
        stream = ctypes.c_void_p()
        with self._on(ordinal):
            self._call("cuStreamCreate", ctypes.byref(stream), _NON_BLOCKING)
        return stream.value or 0

    def destroy_stream(self, stream: int) -> None:
        """Work left in the stream still runs."""
        self._release("cuStreamDestroy_v2", stream)

    def synchronize_stream(self, stream: int) -> None:
        """Releases the GIL while it waits."""
        with self._here():
            self._call("cuStreamSynchronize", stream or None)

    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """Without `timing` the event is cheaper to record."""
        event = ctypes.c_void_p()
        with self._on(ordinal):
            self._call("cuEventCreate", ctypes.byref(event), 0 if timing else _DISABLE_TIMING)
        return event.value or 0

    def destroy_event(self, event: int) -> None:
        """Streams that wait for the event still do."""
        self._release("cuEventDestroy_v2", event)

    def record_event(self, event: int, stream: int) -> None:
        """Marks the present end of the stream."""
        with self._here():
            self._call("cuEventRecord", event, stream or None)

    def stream_wait_event(self, stream: int, event: int) -> None:
        """Waits for the latest recording at this moment, on the device."""
        with self._here():
            self._call("cuStreamWaitEvent", stream or None, event, 0)

    def synchronize_event(self, event: int) -> None:
        """Releases the GIL while it waits."""
        with self._here():
            self._call("cuEventSynchronize", event)

    def is_reached(self, event: int) -> bool:
        """Does not wait."""
        with self._here():
            try:
                self._call("cuEventQuery", event)
            except RuntimeFailure as error:
                if error.code != _NOT_READY:
                    raise
                return False
        return True

    def elapsed_ms(self, start: int, end: int) -> float:
        """Both events must be recorded and complete."""
        elapsed = ctypes.c_float()
        with self._here():
            self._call("cuEventElapsedTime", ctypes.byref(elapsed), start, end)
        return elapsed.value

    def synchronize(self, ordinal: int) -> None:
        """Waits for all streams of one GPU."""
        with self._on(ordinal):
            self._call("cuCtxSynchronize")

    def max_blocks_per_unit(self, ordinal: int, kernel: int, block: tuple[int, ...]) -> int:
        """What the driver says of a multiprocessor."""
        blocks = ctypes.c_int32()
        self._check(self._table.flycuda_max_blocks(kernel, math.prod(block), ctypes.byref(blocks)))
        return blocks.value

    def api_table(self) -> int:
        """Address of the native library's constant table."""
        address: int = self._table.flycuda_api()
        return address

    def error_message(self, code: int) -> str:
        """The explanation of this thread's last failure of that code, else CUDA's text."""
        self._has_failed |= code in _FAULTS
        text: bytes = table_library().flycuda_error_message(code)
        return text.decode(errors="replace")


def _without_version(function: str) -> str:
    """The name that CUDA's documentation has: the library's own may end in a version."""
    return function.removesuffix("_v2")
