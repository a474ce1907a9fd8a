"""Streams, ordered queues of device work, and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from flydsl.runtime.event import Event
from flydsl.runtime.resource import Resource

if TYPE_CHECKING:
    from flydsl.runtime.device import Device


class Stream(Resource):
    """An ordered queue: `Device.create_stream()` makes one, `from_handle` adopts one that another library owns."""

    __slots__ = ()

    @classmethod
    def create(cls, device: Device) -> Self:
        """A new stream; use `Device.create_stream()`."""
        runtime = device.begin_work()
        return cls(device, runtime.create_stream(device.ordinal), runtime.destroy_stream)

    @classmethod
    def from_handle(cls, handle: int, device: Device) -> Self:
        """A stream that another library owns, or the default stream (0)."""
        return cls(device, handle, None)

    def sync(self) -> None:
        """Block until everything enqueued so far is complete."""
        self.device.runtime.synchronize_stream(self.handle)

    def record(self, event: Event | None = None, *, timing: bool = True) -> Event:
        """Mark the present end of this stream with `event`, or with a new one."""
        target = event if event is not None else Event.create(self.device, timing=timing)
        self.device.runtime.record_event(target.handle, self.handle)
        return target

    def wait(self, other: Event | Stream) -> None:
        """Make later work wait for an event, or for what is in another stream now; does not block the caller."""
        if isinstance(other, Stream):
            with other.record(timing=False) as event:
                self.device.runtime.stream_wait_event(self.handle, event.handle)
        else:
            self.device.runtime.stream_wait_event(self.handle, other.handle)
