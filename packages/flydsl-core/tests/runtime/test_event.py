"""Events over a recording runtime."""

from __future__ import annotations

from flydsl.runtime.device import Device
from flydsl.runtime.event import Event
from flydsl.testing.fake_runtime import FakeRuntime


def test_recording_uses_the_given_event_or_makes_one() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    stream, event = device.create_stream(), device.create_event()
    assert stream.record(event) is event
    made = stream.record()
    assert runtime.calls[-3:] == [
        ("record_event", event.handle, stream.handle),
        ("create_event", 0, True),
        ("record_event", made.handle, stream.handle),
    ]


def test_difference_is_the_time_from_the_right_event_to_the_left() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    start, end = device.create_event(), device.create_event()
    assert end - start == 1.5
    assert runtime.calls[-1] == ("elapsed_ms", start.handle, end.handle)


def test_foreign_event_is_used_and_never_destroyed() -> None:
    runtime = FakeRuntime()
    event = Event.from_handle(0x55, Device(runtime=runtime))
    event.sync()
    event.close()
    assert runtime.calls == [("synchronize_event", 0x55)]
