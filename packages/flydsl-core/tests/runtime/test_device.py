"""Devices over a recording runtime."""

from __future__ import annotations

import pytest

from flydsl.base.errors import ArgumentError, NoDeviceError, RuntimeFailure
from flydsl.runtime.device import Device
from flydsl.testing.fake_runtime import FakeRuntime


def test_default_is_the_current_device() -> None:
    device = Device(runtime=FakeRuntime(devices=3))
    assert (device.ordinal, device.name, device.arch, device.info.warp_size) == (2, "fake 2", "fake1", 32)


@pytest.mark.parametrize("ordinal", [-1, 2])
def test_device_that_does_not_exist_is_an_error(ordinal: int) -> None:
    with pytest.raises(NoDeviceError, match=f"there is no device {ordinal}: runtime 'fake' has 2"):
        Device(ordinal, runtime=FakeRuntime(devices=2))


def test_device_that_is_no_number_is_an_error() -> None:
    with pytest.raises(ArgumentError, match="a device is chosen by its number, found 'first'"):
        Device("first", runtime=FakeRuntime())  # type: ignore[arg-type]


def test_runtime_without_devices_gives_its_reason() -> None:
    runtime = FakeRuntime(devices=0)
    assert Device.all(runtime=runtime) == ()
    with pytest.raises(NoDeviceError, match="runtime 'fake' has no device: the fake was made without devices"):
        Device(runtime=runtime)


def test_all_devices_are_distinct_and_comparable() -> None:
    runtime = FakeRuntime(devices=3)
    devices = Device.all(runtime=runtime)
    assert [device.ordinal for device in devices] == [0, 1, 2]
    assert len({*devices, Device(1, runtime=runtime)}) == 3
    assert devices[0] != Device(0, runtime=FakeRuntime())


def test_objects_are_created_on_the_devices_ordinal() -> None:
    runtime = FakeRuntime(devices=2)
    device = Device(1, runtime=runtime)
    kept = device.create_stream(), device.create_event(timing=False), device.allocate(100)
    device.sync()
    assert runtime.calls == [("create_stream", 1), ("create_event", 1, False), ("allocate", 1, 100), ("synchronize", 1)]
    assert all(item.device is device for item in kept)


@pytest.mark.parametrize("call", ["create_stream", "create_event", "allocate"])
def test_creation_that_fails_leaves_nothing_to_release(call: str) -> None:
    runtime = FakeRuntime(failing=call)
    arguments = (64,) if call == "allocate" else ()
    with pytest.raises(RuntimeFailure, match=f"{call} fails"):
        getattr(Device(runtime=runtime), call)(*arguments)
    assert runtime.calls == []


def test_default_stream_is_handle_zero_and_never_destroyed() -> None:
    runtime = FakeRuntime()
    stream = Device(runtime=runtime).default_stream
    stream.close()
    assert (stream.handle, runtime.calls) == (0, [])
