"""Streams over a recording runtime."""

from __future__ import annotations

import gc

import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.device import Device
from flydsl.runtime.stream import Stream
from flydsl.testing.fake_runtime import FakeRuntime


def test_owned_stream_is_destroyed_once() -> None:
    runtime = FakeRuntime()
    with Device(runtime=runtime).create_stream() as stream:
        handle = stream.handle
    stream.close()
    assert runtime.calls == [("create_stream", 0), ("destroy_stream", handle)]


def test_forgotten_stream_is_destroyed_when_collected() -> None:
    runtime = FakeRuntime()
    handle = Device(runtime=runtime).create_stream().handle
    gc.collect()
    assert runtime.calls[-1] == ("destroy_stream", handle)


def test_closed_stream_cannot_be_used() -> None:
    stream = Device(runtime=FakeRuntime()).create_stream()
    stream.close()
    with pytest.raises(RuntimeFailure, match="this stream is closed"):
        stream.sync()


def test_foreign_stream_is_used_and_never_destroyed() -> None:
    runtime = FakeRuntime()
    stream = Stream.from_handle(0x77, Device(runtime=runtime))
    stream.sync()
    stream.close()
    assert runtime.calls == [("synchronize_stream", 0x77)]


def test_stream_waits_for_another_through_an_event_of_its_own() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    first, second = device.create_stream(), device.create_stream()
    runtime.calls.clear()
    first.wait(second)
    event = runtime.calls[1][1]
    assert runtime.calls == [
        ("create_event", 0, False),
        ("record_event", event, second.handle),
        ("stream_wait_event", first.handle, event),
        ("destroy_event", event),
    ]


def test_stream_waits_for_an_event() -> None:
    runtime = FakeRuntime()
    device = Device(runtime=runtime)
    stream, event = device.create_stream(), device.create_event()
    stream.wait(event)
    assert runtime.calls[-1] == ("stream_wait_event", stream.handle, event.handle)
