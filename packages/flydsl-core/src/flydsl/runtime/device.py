"""Devices of the active runtime: properties, streams, events and buffers of an ordinal."""

from __future__ import annotations

import operator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from flydsl.base.errors import ArgumentError, NoDeviceError
from flydsl.plugins.active.selection import plugin_word
from flydsl.plugins.active.stack import claim_runtime, device_runtime, enable_peer_access
from flydsl.runtime.buffer import Buffer
from flydsl.runtime.event import Event
from flydsl.runtime.stream import Stream

if TYPE_CHECKING:
    from flydsl.plugins.device_runtime import DeviceInfo, DeviceRuntime

__all__ = ["Device"]


class Device:
    """One device of a runtime: by default the calling thread's current device of the active runtime.

    Owners create: streams, events and buffers come from a device and are closed by `close()`, at the end of a `with`
    block, or when nothing refers to them any more. A call that raises creates nothing.
    """

    def __init__(self, ordinal: int | None = None, *, runtime: DeviceRuntime | None = None) -> None:
        self._is_active = runtime is None
        self.runtime = runtime if runtime is not None else device_runtime()
        status = self.runtime.status()
        if not status.available:
            raise NoDeviceError(f"runtime {self.runtime.name!r} has no device: {status.reason}")
        self.ordinal = self.runtime.current_ordinal() if ordinal is None else _number(ordinal)
        count = self.runtime.device_count()
        if not 0 <= self.ordinal < count:
            raise NoDeviceError(f"there is no device {ordinal!r}: runtime {self.runtime.name!r} has {count}")

    @classmethod
    def all(cls, *, runtime: DeviceRuntime | None = None) -> tuple[Self, ...]:
        """Every device of the runtime; empty when it has none."""
        asked = runtime if runtime is not None else device_runtime()
        return tuple(cls(i, runtime=runtime) for i in range(asked.device_count()))

    @cached_property
    def info(self) -> DeviceInfo:
        """Name, architecture and limits."""
        return self.runtime.device_info(self.ordinal)

    @property
    def name(self) -> str:
        """The device's name, as its vendor gives it."""
        return self.info.name

    @property
    def arch(self) -> str:
        """The architecture that code for this device is compiled for."""
        return self.info.arch

    @cached_property
    def default_stream(self) -> Stream:
        """The runtime's default stream (handle 0)."""
        return Stream.from_handle(0, self)

    def begin_work(self) -> DeviceRuntime:
        """The runtime, for work on this device: from now on the process can use no other (one stack a process)."""
        return claim_runtime() if self._is_active else self.runtime

    def create_stream(self) -> Stream:
        """A new ordered queue."""
        return Stream.create(self)

    def create_event(self, *, timing: bool = True) -> Event:
        """A new event; with `timing`, two of them give an elapsed time."""
        return Event.create(self, timing=timing)

    def allocate(self, size: int, *, stream: Stream | None = None) -> Buffer:
        """`size` bytes of uninitialised device memory.

        With a stream they are for work enqueued there from now on, and closing the buffer gives them back behind that
        work, without a wait where the runtime has such allocations. Other streams need an event to use them.
        """
        return Buffer.allocate(self, size, stream)

    def can_access(self, peer: Device) -> bool:
        """Whether kernels of this device can be let into the memory of `peer`."""
        return self.runtime.can_access(self.ordinal, self._same_runtime(peer).ordinal)

    def enable_access(self, peer: Device) -> None:
        """Let kernels of this device into the memory of `peer`; RuntimeFailure where they cannot reach it.

        From then on kernels of this device may be called with tensors of both.
        """
        self.begin_work().enable_access(self.ordinal, self._same_runtime(peer).ordinal)
        enable_peer_access(self.runtime.name, self.ordinal, peer.ordinal)

    def _same_runtime(self, peer: Device) -> Device:
        if peer.runtime is not self.runtime:
            raise ArgumentError(f"{peer!r} and {self!r} are of different runtimes")
        return peer

    def sync(self) -> None:
        """Block until the device is idle."""
        self.runtime.synchronize(self.ordinal)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.runtime, self.ordinal) == (other.runtime, other.ordinal)

    def __hash__(self) -> int:
        return hash((id(self.runtime), self.ordinal))

    def __repr__(self) -> str:
        return f"Device({self.ordinal!r}, runtime={self.runtime.name!r})"


def _number(ordinal: object) -> int:
    try:
        return operator.index(ordinal)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError(f"a device is chosen by its number, found {ordinal!r}") from None


def __getattr__(name: str) -> Any:
    """A plugin's addition, such as `device.get_acme_arch`."""
    return plugin_word(__name__, name)
