"""The runtime of a backend that has none."""

from __future__ import annotations

import inspect

import pytest

from flydsl.base.errors import NoDeviceError
from flydsl.plugins.active.missing_runtime import MissingRuntime, missing_runtime
from flydsl.plugins.device_runtime import DeviceRuntime

REASON = "no runtime of kind 'x' is installed"
METHODS = sorted(DeviceRuntime.__abstractmethods__ - {"status", "device_count"})


def test_it_is_unavailable_with_the_reason() -> None:
    runtime = MissingRuntime("x", REASON)
    assert (runtime.status().available, runtime.status().reason, runtime.device_count()) == (False, REASON, 0)


@pytest.mark.parametrize("name", METHODS)
def test_every_call_says_why(name: str) -> None:
    method = getattr(MissingRuntime("x", REASON), name)
    count = len([p for p in inspect.signature(getattr(DeviceRuntime, name)).parameters if p != "self"])
    with pytest.raises(NoDeviceError, match=REASON):
        method(*range(count))


def test_its_manifest_makes_it() -> None:
    manifest = missing_runtime("x", REASON)
    assert (manifest.name, manifest.kind) == ("none", "x")
    assert manifest.factory().status().reason == REASON  # type: ignore[operator]
