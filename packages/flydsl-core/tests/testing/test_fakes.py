"""The fakes do what they record."""

from __future__ import annotations

import ctypes

import pytest

from flydsl.base.errors import NoDeviceError, RuntimeFailure
from flydsl.plugins import CopyKind
from flydsl.testing.fakes import FakeBackend, FakeRuntime


def test_memory_is_copied_set_and_freed_once() -> None:
    runtime = FakeRuntime()
    one, two = runtime.allocate(0, 8), runtime.allocate(0, 8)
    runtime.memset(one, 7, 8, 0)
    runtime.copy(two, one, 8, 0, CopyKind.DEVICE_TO_DEVICE)
    assert ctypes.string_at(two, 8) == b"\7" * 8
    runtime.free(two)
    with pytest.raises(RuntimeFailure, match="is not allocated"):
        runtime.free(two)
    assert [call[0] for call in runtime.calls] == ["allocate", "allocate", "memset", "copy", "free", "free"]


def test_devices_are_as_many_as_asked_for() -> None:
    assert FakeRuntime(devices=2).device_info(1).ordinal == 1
    with pytest.raises(NoDeviceError):
        FakeRuntime(devices=2).device_info(2)
    assert not FakeRuntime(devices=0).status().available


def test_code_objects_depend_on_text_and_architecture() -> None:
    backend = FakeBackend()
    codes = {backend.emit_code_object(t, arch=a, toolchain=None) for t in "ab" for a in ("fake1", "fake2")}  # type: ignore[arg-type]
    assert len(codes) == 4
