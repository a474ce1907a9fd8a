"""One instance of each runtime."""

from __future__ import annotations

import pytest

from flydsl.base.errors import NoBackendError, NoDeviceError
from flydsl.plugins.active.instances import Stack
from flydsl.plugins.active.selection import resolve_pair
from flydsl.plugins.active.stack import claim_runtime, device_runtime
from flydsl.plugins.device_runtime import DeviceStatus
from flydsl.testing.fakes import FakeRuntime, fake_backend, fake_runtime
from flydsl.testing.sandbox import PluginSandbox


def test_a_runtime_is_made_once_and_a_failure_is_not_kept() -> None:
    stack, manifest = Stack(), fake_runtime()
    assert stack.instance(manifest) is stack.instance(manifest)
    assert stack.instance(fake_runtime()) is not stack.instance(manifest)  # a factory of its own
    with pytest.raises(RuntimeError):
        stack.instance(fake_runtime(factory=dict))
    assert len(stack.instances) == 2


def test_instances_are_exchanged_whole() -> None:
    stack, manifest = Stack(), fake_runtime()
    first = stack.instance(manifest)
    old = stack.swap((), None)
    assert stack.instance(manifest) is not first
    stack.swap(*old)
    assert stack.instance(manifest) is first


class Busy(FakeRuntime):
    """Counts how often it is asked, and has a device when it is told so."""

    def __init__(self) -> None:
        super().__init__("busy", "busy", devices=0)
        self.asked = 0

    def status(self) -> DeviceStatus:
        self.asked += 1
        return super().status()


def test_a_start_asks_each_runtime_once(isolated_plugins: PluginSandbox) -> None:
    """Also one without a device, which is asked again when an error has said so."""
    isolated_plugins.register(fake_backend("one", runtime_kind="busy"), fake_backend("two", runtime_kind="fake"))
    isolated_plugins.register(fake_runtime("busy", kind="busy", factory=Busy), fake_runtime(devices=0))
    runtime = device_runtime(resolve_pair("one"))
    assert isinstance(runtime, Busy)
    with pytest.raises(NoBackendError):
        resolve_pair()
    with pytest.raises(NoDeviceError):
        claim_runtime(resolve_pair("one"))
    assert runtime.asked == 1
    with pytest.raises(NoDeviceError):
        claim_runtime(resolve_pair("one"))
    assert runtime.asked == 2
    runtime.devices = 1
    assert claim_runtime(resolve_pair("one")) is runtime
    claim_runtime(resolve_pair("one"))
    assert runtime.asked == 3
