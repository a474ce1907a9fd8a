"""The subject of a conformance run: manifests, targets, tensors and capabilities, as frozen data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from flydsl.plugins.entry_points import EntryPoint, find_entry_points
from flydsl.plugins.manifests import (
    CompileBackendManifest,
    DeviceRuntimeManifest,
    Manifest,
    TensorAdaptorManifest,
)
from flydsl.plugins.scan.discovery import discover_entry_points
from flydsl.plugins.tables import Tables
from flydsl.testing.capabilities import Capabilities
from flydsl.testing.suite.tensors import Tensors

_CORE = "flydsl.adaptors.plugin"
M = TypeVar("M", bound=Manifest)


@dataclass(frozen=True, slots=True, eq=False)
class Subject:
    """One plugin under test. `own` says which of backend, runtime and adaptor it declares itself.

    An empty word among `targets` is the backend's default, among `devices` the current device.
    """

    module: str
    tables: Tables
    own: frozenset[str]
    backend: CompileBackendManifest | None
    runtime: DeviceRuntimeManifest | None
    adaptor: TensorAdaptorManifest | None
    targets: tuple[str, ...]
    devices: tuple[str, ...]
    fixtures: tuple[str, ...]
    tensors: Tensors | None
    capabilities: Capabilities
    known: Mapping[str, str]

    @classmethod
    def of_plugin(
        cls,
        module: str,
        *,
        beside: Sequence[str],
        names: Mapping[str, str],
        targets: tuple[str, ...],
        devices: tuple[str, ...],
        fixtures: tuple[str, ...],
        tensors: Tensors | None,
        capabilities: Capabilities,
        known: Mapping[str, str],
    ) -> Subject:
        """What the hooks of `module` declare, and of the plugins `beside` what it does not declare itself."""
        mine, everything = _tables(module), _tables(_CORE, *beside, module)
        backend = _one("backend", mine.backends or everything.backends, names["backend"])
        of_kind = {r.name: r for r in everything.runtimes.values() if backend and r.kind == backend.runtime_kind}
        runtime = _one("runtime", mine.runtimes or of_kind, names["runtime"])
        adaptors = {a.name: a for a in mine.adaptors}
        declared = {"backend": mine.backends, "runtime": mine.runtimes, "adaptor": adaptors}
        return cls(
            module=module,
            tables=everything,
            own=frozenset(noun for noun, table in declared.items() if table),
            backend=backend,
            runtime=runtime,
            adaptor=_one("adaptor", adaptors, names["adaptor"]),
            targets=targets,
            devices=devices or (("",) if mine.backends else targets),
            fixtures=fixtures,
            tensors=tensors,
            capabilities=capabilities,
            known=known,
        )

    @property
    def manifests(self) -> tuple[Manifest, ...]:
        """Those that the plugin declares itself and that are tested."""
        found = {"backend": self.backend, "runtime": self.runtime, "adaptor": self.adaptor}
        return tuple(manifest for noun, manifest in found.items() if noun in self.own and manifest is not None)


def _tables(*modules: str) -> Tables:
    """What these plugins declare; the error of one that cannot be loaded is raised."""
    installed = {entry.module: entry for entry in find_entry_points()}
    entries = [installed.get(module) or _entry_point(module) for module in dict.fromkeys(modules)]
    tables = discover_entry_points(entries)
    for broken in tables.quarantined:
        raise broken.error
    return tables


def _entry_point(module: str) -> EntryPoint:
    """Of a plugin that is on the import path without being installed."""
    return EntryPoint(name=module, distribution=module.partition(".")[0], version="", module=module)


def _one(noun: str, found: Mapping[str, M], name: str) -> M | None:
    """The manifest called `name`, or the only one."""
    if name:
        if name not in found:
            raise ValueError(f"the plugin declares no {noun} {name!r}, found: {', '.join(sorted(found)) or 'none'}")
        return found[name]
    if len(found) > 1:
        raise ValueError(f"the plugin declares several: {', '.join(sorted(found))}; name one with {noun}=")
    return next(iter(found.values()), None)
