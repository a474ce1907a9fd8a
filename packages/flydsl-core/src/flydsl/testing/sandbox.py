"""A plugin world of a test's own: the registry, the chosen pair and the runtime are swapped and put back."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from flydsl.plugins.active.instances import stack
from flydsl.plugins.active.selection import choice
from flydsl.plugins.entry_points import EntryPoint
from flydsl.plugins.manifests import Manifest
from flydsl.plugins.registry import registry
from flydsl.plugins.scan.discovery import discover_entry_points
from flydsl.plugins.tables import Tables


class PluginSandbox:
    """Within the `with` block no plugin is installed but those registered, and no device work has begun.

    With `installed` the plugins of the process stay, and only the choice of a pair and the runtime stack are fresh.
    """

    def __init__(self, *, installed: bool = False) -> None:
        self._installed = installed

    def __enter__(self) -> Self:
        tables = registry.tables if self._installed else Tables()
        self._old: tuple[Any, ...] = (registry.swap(tables), choice.swap(None), stack.swap((), None))
        return self

    def __exit__(self, *details: type[BaseException] | BaseException | TracebackType | None) -> None:
        tables, chosen, made = self._old
        registry.swap(tables)
        choice.swap(*chosen)
        stack.swap(*made)

    @property
    def tables(self) -> Tables:
        """What is registered now."""
        return registry.tables

    def register(self, *manifests: Manifest) -> None:
        """Register manifests as if plugins had declared them."""
        for manifest in manifests:
            registry.change(lambda tables, new=manifest: tables.with_manifest(new))  # type: ignore[misc]

    def install(self, *entries: EntryPoint, disabled: Iterable[str] = ()) -> Tables:
        """Discover these entry points, in place of everything registered before."""
        registry.swap(discover_entry_points(entries, disabled))
        return registry.tables
