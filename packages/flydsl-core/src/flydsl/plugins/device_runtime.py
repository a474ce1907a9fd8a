"""The abstract base class `DeviceRuntime`: device memory, streams and events; pointers and handles are integers.

One runtime works in a process. Pointers, streams and events are opaque integers; stream 0 is the default stream.
Every failing call raises RuntimeFailure (or NoDeviceError) and leaves nothing behind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import IntEnum
from typing import NamedTuple

from flydsl.base.errors import RuntimeFailure


class CopyKind(IntEnum):
    """Direction of a copy; the values are those that drivers use."""

    HOST_TO_HOST = 0
    HOST_TO_DEVICE = 1
    DEVICE_TO_HOST = 2
    DEVICE_TO_DEVICE = 3


class DeviceStatus(NamedTuple):
    """Whether device work is possible, and when not, why: "no device" is a state, not an error."""

    available: bool
    reason: str = ""


class DeviceInfo(NamedTuple):
    """Properties of one device."""

    ordinal: int
    name: str
    arch: str
    memory_bytes: int
    warp_size: int
    max_threads_per_block: int
    shared_bytes_per_block: int
    compute_units: int = 0
    """Processors that run blocks; 0 where the runtime cannot tell."""


class DeviceRuntime(ABC):
    """Memory, streams, events and launches of one vendor's stack.

    The constructor does no device work and never fails for want of a driver: `status()` says so instead. Methods are
    thread-safe.
    """

    name: str
    """Runtime name, as in the manifest."""
    kind: str
    """Runtime kind: equals `runtime_kind` of the backends it pairs with."""
    unloads_unused: bool = False
    """Whether code is unloaded when nothing refers to it any more: not where a captured graph may still run it."""

    checks_extents: bool = False
    """Whether launches of compiled functions go through `launch_within`, which costs them more."""

    default_stream_waits: bool = False
    """Whether a launch on stream 0 has ended when it returns."""

    cost_unit: str = ""
    """What `cost` counts, where time says nothing of the device that is stood for; empty where events are timed."""

    @abstractmethod
    def status(self) -> DeviceStatus:
        """Whether a device can be used now; never raises."""

    @abstractmethod
    def device_count(self) -> int:
        """Number of visible devices; 0 when unavailable."""

    @abstractmethod
    def device_info(self, ordinal: int) -> DeviceInfo:
        """Properties of device `ordinal`; NoDeviceError when there is no such device."""

    @abstractmethod
    def current_ordinal(self) -> int:
        """The calling thread's current device."""

    @abstractmethod
    def allocate(self, ordinal: int, nbytes: int) -> int:
        """A device pointer to `nbytes` uninitialised bytes; nbytes 0 may give 0."""

    @abstractmethod
    def free(self, pointer: int) -> None:
        """Release a pointer of `allocate`; 0 is ignored."""

    def allocate_on(self, stream: int, ordinal: int, nbytes: int) -> int:
        """A device pointer to `nbytes` uninitialised bytes for work enqueued on `stream` from now on.

        A runtime without allocations in the order of streams gives memory that is there at once, as here.
        """
        return self.allocate(ordinal, nbytes)

    def free_on(self, stream: int, pointer: int) -> None:
        """Release a pointer of `allocate_on` behind what is enqueued on `stream`; 0 is ignored.

        Here the caller waits for the stream.
        """
        self.synchronize_stream(stream)
        self.free(pointer)

    @abstractmethod
    def copy(self, destination: int, source: int, nbytes: int, stream: int, kind: CopyKind) -> None:
        """Enqueue a copy of `nbytes` on `stream`; on stream 0 it is complete on return when host memory is involved."""

    def copy_between(
        self, destination: int, to_ordinal: int, source: int, from_ordinal: int, nbytes: int, stream: int
    ) -> None:
        """Enqueue a copy from memory of one device to that of another; here by `copy`."""
        self.copy(destination, source, nbytes, stream, CopyKind.DEVICE_TO_DEVICE)

    def can_access(self, ordinal: int, peer: int) -> bool:
        """Whether kernels on device `ordinal` may be let into the memory of device `peer`; here into their own only."""
        return ordinal == peer

    def enable_access(self, ordinal: int, peer: int) -> None:
        """Let kernels on device `ordinal` into the memory of device `peer`, for good; twice is allowed."""
        if not self.can_access(ordinal, peer):
            raise RuntimeFailure(
                f"runtime {self.name!r}: kernels on device {ordinal} cannot reach memory of device {peer}"
            )

    @abstractmethod
    def memset(self, destination: int, value: int, nbytes: int, stream: int) -> None:
        """Enqueue setting `nbytes` bytes to `value` (0-255)."""

    @abstractmethod
    def create_stream(self, ordinal: int) -> int:
        """A new ordered queue on device `ordinal`."""

    @abstractmethod
    def destroy_stream(self, stream: int) -> None:
        """Release a stream; work already enqueued still completes."""

    @abstractmethod
    def synchronize_stream(self, stream: int) -> None:
        """Block until everything enqueued on `stream` is complete."""

    @abstractmethod
    def create_event(self, ordinal: int, *, timing: bool = True) -> int:
        """A new event on device `ordinal`."""

    @abstractmethod
    def destroy_event(self, event: int) -> None:
        """Release an event."""

    @abstractmethod
    def record_event(self, event: int, stream: int) -> None:
        """Mark the present end of `stream` with `event`."""

    @abstractmethod
    def stream_wait_event(self, stream: int, event: int) -> None:
        """Make later work of `stream` wait for `event`; does not block the caller."""

    @abstractmethod
    def synchronize_event(self, event: int) -> None:
        """Block until `event` is reached."""

    def is_reached(self, event: int) -> bool:
        """Whether a recorded event is reached, without failures of the work before it; here by waiting for it."""
        self.synchronize_event(event)
        return True

    @abstractmethod
    def elapsed_ms(self, start: int, end: int) -> float:
        """Milliseconds between two recorded events."""

    @abstractmethod
    def synchronize(self, ordinal: int) -> None:
        """Block until device `ordinal` is idle."""

    def cost(self, call: Callable[[], object]) -> float:
        """What the launches of `call`, which it makes once, cost in units of `cost_unit`; autotuners compare it.

        RuntimeFailure, as here, when the runtime counts nothing.
        """
        raise RuntimeFailure(f"runtime {self.name!r} does not count what launches cost")

    def max_blocks_per_unit(self, ordinal: int, kernel: int, block: tuple[int, ...]) -> int:
        """Blocks of this size, of a kernel loaded on `ordinal`, that one compute unit of the device runs at a time.

        RuntimeFailure, as here, when the runtime cannot tell.
        """
        raise RuntimeFailure(f"runtime {self.name!r} cannot tell how many blocks a compute unit runs")

    def launch_within(
        self,
        addresses: tuple[int, ...],
        extents: tuple[tuple[int, int], ...],
        launch: Callable[..., int],
        *arguments: object,
    ) -> int:
        """Call a compiled function's launcher, whose code it gives; asked for by `checks_extents`.

        Its kernels may access the memory of its tensors: for each an address, and where its elements begin from there
        and how many bytes they take. They may access memory of the runtime, and raw addresses among the arguments, too.
        """
        return launch(*arguments)

    @abstractmethod
    def api_table(self) -> int:
        """Address of this runtime's `FlyRuntimeApi` (fly_abi.h); valid until the process ends."""

    @abstractmethod
    def error_message(self, code: int) -> str:
        """Text for an error code that a function of the table returned; it names a kernel as `kernel 'NAME'`."""
