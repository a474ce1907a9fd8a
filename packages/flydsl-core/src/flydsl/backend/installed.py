"""What is installed and what the process chose of it, for plugins that look at others."""

from __future__ import annotations

from dataclasses import replace

from flydsl.plugins.active.selection import choice
from flydsl.plugins.manifests import DeviceRuntimeManifest
from flydsl.plugins.registry import registry

__all__ = ["backend_names", "renew_pair", "requested_runtime", "runtime_manifest"]


def backend_names() -> tuple[str, ...]:
    """The ids of the compile backends that can be used, sorted."""
    return tuple(sorted(registry.tables.backends))


def runtime_manifest(name: str) -> DeviceRuntimeManifest | None:
    """The manifest of the device runtime `name`; None when none of that name is installed or registered."""
    return registry.tables.runtimes.get(name)


def requested_runtime(kind: str) -> str | None:
    """The name of the runtime that the program registered for `kind`; None when it registered none."""
    return registry.tables.explicit_runtimes.get(kind)


def renew_pair() -> None:
    """Make the pair of this process another object that is equal: functions that were called look for code again."""
    pair, is_explicit = choice.swap(None)
    if pair is not None:
        choice.swap(replace(pair), is_explicit)
