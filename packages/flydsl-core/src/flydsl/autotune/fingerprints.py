"""The validity key of a measurement: settings, toolchain and device."""

from __future__ import annotations

import json

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError, NoDeviceError
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import device_runtime


def env_fingerprint() -> str:
    """The settings that shape code."""
    return json.dumps({**settings.key_values(), "arch": settings.compile.arch}, sort_keys=True)


def toolchain_fingerprint() -> str:
    """A digest of everything installed that makes code; empty without a backend."""
    from flydsl.plugins.active.fingerprint import fingerprint

    try:
        return fingerprint(active_pair())
    except FlyDSLError:
        return ""


def device_fingerprint() -> str:
    """The runtime and its current device; without a device, that there is none."""
    try:
        return json.dumps({"runtime": device_runtime().name, **device_descriptor()}, sort_keys=True)
    except FlyDSLError:
        return "none"


def device_descriptor() -> dict[str, object]:
    """Name, architecture and compute units of the current device; NoDeviceError when there is none."""
    runtime = device_runtime()
    status = runtime.status()
    if not status.available:
        raise NoDeviceError(f"runtime {runtime.name!r} has no device: {status.reason}")
    info = runtime.device_info(runtime.current_ordinal())
    return {"name": info.name, "arch": info.arch, "compute_units": info.compute_units}
