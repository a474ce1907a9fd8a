"""The runtime of a backend that has none: code can be compiled, and every device call says why it cannot run."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

from flydsl.base.errors import NoDeviceError
from flydsl.plugins.device_runtime import DeviceRuntime, DeviceStatus
from flydsl.plugins.manifests import DeviceRuntimeManifest


class MissingRuntime(DeviceRuntime):
    """No device, and the reason."""

    name = "none"

    def __init__(self, kind: str, reason: str) -> None:
        self.kind, self._reason = kind, reason

    def status(self) -> DeviceStatus:
        """Unavailable, with the reason."""
        return DeviceStatus(False, self._reason)

    def device_count(self) -> int:
        """0."""
        return 0

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NoDeviceError(self._reason)

    device_info = current_ordinal = synchronize = api_table = error_message = _refuse
    allocate = free = copy = memset = _refuse
    create_stream = destroy_stream = synchronize_stream = _refuse
    create_event = destroy_event = record_event = stream_wait_event = synchronize_event = elapsed_ms = _refuse


def missing_runtime(kind: str, reason: str) -> DeviceRuntimeManifest:
    """The manifest of a MissingRuntime of `kind`."""
    return DeviceRuntimeManifest(name="none", kind=kind, factory=partial(MissingRuntime, kind, reason))
