"""Registration of a program's own backends, runtimes and adaptors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

from flydsl.base.errors import ArgumentError, DuplicateNameError, RuntimeStackError
from flydsl.base.wording import did_you_mean
from flydsl.plugins.active.instances import stack
from flydsl.plugins.active.selection import forget
from flydsl.plugins.active.stack import has_device_work
from flydsl.plugins.compile_backend import CompileBackend
from flydsl.plugins.device_runtime import DeviceRuntime
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, Manifest, TensorAdaptorManifest
from flydsl.plugins.registry import registry
from flydsl.plugins.scan.hooks import manifests_of
from flydsl.plugins.tables import Tables


def register_backend(
    name: str,
    factory: str | Callable[[], CompileBackend],
    *,
    force: bool = False,
    runtime_kind: str | None = None,
    **fields: Any,
) -> CompileBackendManifest:
    """Register a compile backend under `name` before the first compile with it.

    `factory()` makes a fresh backend at each resolution. `runtime_kind` defaults to the factory's attribute of that
    name, else to `name`; `fields` are further fields of the manifest. DuplicateNameError when the name is taken,
    unless `force`.
    """
    name = name.lower()
    kind = runtime_kind or str(getattr(factory, "runtime_kind", name))
    manifest = CompileBackendManifest(name=name, factory=factory, runtime_kind=kind, **fields)
    registry.change(lambda tables: tables.with_manifest(manifest, force=force))
    if force:
        forget(backend=name)
    return manifest


def register_device_runtime(
    runtime: DeviceRuntimeManifest | str | Callable[[], DeviceRuntime],
    *,
    name: str | None = None,
    kind: str | None = None,
    **fields: Any,
) -> DeviceRuntimeManifest:
    """Register a device runtime and make it the one of its kind, in place of the default.

    `runtime` is a manifest, or a factory whose `name` and `kind` are its attributes or the arguments. A runtime can be
    registered or replaced only before any device work of the process: RuntimeStackError after.
    """
    manifest = _runtime_manifest(runtime, name, kind, fields)
    if has_device_work():
        raise RuntimeStackError(f"runtime {manifest.name!r} cannot be registered: device work began already")
    registry.change(lambda tables: _with_explicit_runtime(tables, manifest))
    forget(runtime_kind=manifest.kind)
    return manifest


def register_tensor_adaptor(manifest: TensorAdaptorManifest) -> None:
    """Register a tensor adaptor; DuplicateNameError when its name is taken."""
    registry.change(lambda tables: tables.with_manifest(manifest))


def register_plugin(
    plugin: str | ModuleType, *, name: str = "", distribution: str = "", version: str = ""
) -> tuple[Manifest, ...]:
    """Register all that the hooks of a plugin's module declare, as if it were installed; the manifests.

    For programs without metadata of distributions, such as frozen ones, and for tests. `plugin` is the module or its
    name, `name` that of the plugin, the last part of the module's by default. DuplicateNameError, and nothing is
    registered, when a name is taken; errors of the module pass as they are.
    """
    module = import_module(plugin) if isinstance(plugin, str) else plugin
    called = name or module.__name__.rpartition(".")[2]
    made = [m if m.distribution else m.declared_by(distribution, version) for m in manifests_of(module)]
    manifests = tuple(made)

    def added(tables: Tables) -> Tables:
        taken = {*tables.registered, *(entry.name for entry in tables.plugins)}
        if called in taken:
            raise DuplicateNameError(f"a plugin called {called!r} is there already: give another name=")
        for manifest in manifests:
            tables = tables.with_manifest(manifest)
        return replace(tables, registered={**tables.registered, called: manifests})

    registry.change(added)
    return manifests


def unregister_plugin(name: str) -> None:
    """Take back what `register_plugin` has registered under `name`; ArgumentError when there is no such plugin.

    A pair that it is part of is no longer this process's: the next call chooses one, and compiles for that. Code that
    was loaded stays with who holds it, as `flyc.compile` gives it. RuntimeStackError once its runtime did device work.
    """
    known = registry.tables.registered
    if name not in known:
        found = ", ".join(map(repr, sorted(known))) or "none"
        meant = did_you_mean(name, known)
        raise ArgumentError(f"no plugin {name!r} was registered by this program, registered: {found}{meant}")
    gone = known[name]
    claimed = stack.claimed
    if claimed is not None and any(claimed[0] is manifest for manifest in gone):
        raise RuntimeStackError(
            f"plugin {name!r} cannot be taken back: device work of this process runs on its runtime"
        )
    rest = {other: manifests for other, manifests in known.items() if other != name}
    registry.change(lambda tables: replace(tables.without(gone), registered=rest))
    for manifest in gone:
        if isinstance(manifest, CompileBackendManifest):
            forget(backend=manifest.name)
        elif isinstance(manifest, DeviceRuntimeManifest):
            forget(runtime_kind=manifest.kind)


def _runtime_manifest(
    runtime: DeviceRuntimeManifest | str | Callable[[], DeviceRuntime],
    name: str | None,
    kind: str | None,
    fields: dict[str, Any],
) -> DeviceRuntimeManifest:
    if isinstance(runtime, DeviceRuntimeManifest):
        return runtime
    name, kind = name or getattr(runtime, "name", None), kind or getattr(runtime, "kind", None)
    if not (isinstance(name, str) and isinstance(kind, str)):
        raise TypeError(f"runtime factory {runtime!r} has no 'name' and 'kind': pass name= and kind=")
    return DeviceRuntimeManifest(name=name, kind=kind, factory=runtime, **fields)


def _with_explicit_runtime(tables: Tables, manifest: DeviceRuntimeManifest) -> Tables:
    taken = tables.runtimes.get(manifest.name)
    if taken is not None and taken.kind != manifest.kind:
        raise DuplicateNameError(
            f"device runtime {manifest.name!r} exists already with kind {taken.kind!r}, not {manifest.kind!r}"
        )
    added = tables.with_manifest(manifest, force=True)
    return replace(added, explicit_runtimes={**tables.explicit_runtimes, manifest.kind: manifest.name})
