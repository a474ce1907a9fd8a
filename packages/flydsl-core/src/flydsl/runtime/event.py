"""Events: points in streams, to wait for and to measure the time between."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from flydsl.runtime.resource import Resource

if TYPE_CHECKING:
    from flydsl.runtime.device import Device


class Event(Resource):
    """A point in a stream, set by `Stream.record`. `end - start` is the time between two, in milliseconds."""

    __slots__ = ()

    @classmethod
    def create(cls, device: Device, *, timing: bool = True) -> Self:
        """A new event; use `Device.create_event()`."""
        runtime = device.begin_work()
        return cls(device, runtime.create_event(device.ordinal, timing=timing), runtime.destroy_event)

    @classmethod
    def from_handle(cls, handle: int, device: Device) -> Self:
        """An event that another library owns."""
        return cls(device, handle, None)

    def sync(self) -> None:
        """Block until the event is reached."""
        self.device.runtime.synchronize_event(self.handle)

    def __sub__(self, start: Event) -> float:
        return self.device.runtime.elapsed_ms(start.handle, self.handle)
