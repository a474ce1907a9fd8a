"""The device runtime without a device."""

from __future__ import annotations

import pytest

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.testing.fake_runtime import FakeRuntime

CALLS = {
    "create_stream": (0,), "destroy_stream": (1,), "synchronize_stream": (1,), "create_event": (0,),
    "destroy_event": (1,), "record_event": (1, 2), "stream_wait_event": (1, 2), "synchronize_event": (1,),
    "elapsed_ms": (1, 2), "synchronize": (0,), "allocate": (0, 4), "free": (0,),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CALLS))
def test_calls_are_recorded_and_the_failing_one_fails(name: str) -> None:
    runtime = FakeRuntime()
    getattr(runtime, name)(*CALLS[name])
    assert runtime.calls[0][: 1 + len(CALLS[name])] == (name, *CALLS[name])
    with pytest.raises(RuntimeFailure, match=f"{name} fails"):
        getattr(FakeRuntime(failing=name), name)(*CALLS[name])


def test_it_implements_every_method() -> None:
    assert isinstance(FakeRuntime(), DeviceRuntime)


def test_handles_differ_and_the_last_device_is_current() -> None:
    runtime = FakeRuntime(devices=3)
    assert len({runtime.create_stream(0), runtime.create_stream(0), runtime.create_event(0)}) == 3
    assert runtime.current_ordinal() == 2
    assert runtime.device_info(2).ordinal == 2
    with pytest.raises(NoDeviceError, match="there is no device 3: the fake has 3"):
        runtime.device_info(3)


def test_without_devices_it_is_unavailable() -> None:
    assert not FakeRuntime(devices=0).status().available
    assert FakeRuntime().error_message(7) == "fake error 7"
