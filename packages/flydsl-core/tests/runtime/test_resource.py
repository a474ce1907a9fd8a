"""Handles with a lifetime."""

from __future__ import annotations

import gc
from unittest.mock import Mock

import pytest

from flydsl.base.errors import RuntimeFailure
from flydsl.runtime.device import Device
from flydsl.runtime.resource import Resource
from flydsl.testing.fake_runtime import FakeRuntime


@pytest.fixture
def device() -> Device:
    return Device(runtime=FakeRuntime())


def test_an_owned_handle_is_released_once(device: Device) -> None:
    release = Mock()
    with Resource(device, 7, release) as resource:
        assert resource.handle == 7
        release.assert_not_called()
    resource.close()
    release.assert_called_once_with(7)
    with pytest.raises(RuntimeFailure, match="this resource is closed"):
        _ = resource.handle


def test_a_handle_that_nobody_holds_is_released(device: Device) -> None:
    release = Mock()
    resource = Resource(device, 7, release)
    del resource
    gc.collect()
    release.assert_called_once_with(7)


def test_a_foreign_handle_is_never_released_and_stays_usable(device: Device) -> None:
    with Resource(device, 7, None) as resource:
        pass
    assert resource.handle == 7
    assert repr(resource) == f"<Resource 0x7 of {device!r}>"
