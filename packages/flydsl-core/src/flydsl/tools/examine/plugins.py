"""Plugins as `flydsl doctor` examines them: what they declare is imported and made, not only listed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from flydsl.base.references import resolve_reference
from flydsl.plugins.active.border import checked_libraries, status_of
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, Manifest
from flydsl.plugins.scan.requirements import unmet_requirement
from flydsl.plugins.tables import Tables
from flydsl.tools.examine.finding import Finding, attempt, described


def examine_plugins(tables: Tables) -> Iterator[Finding]:
    """Which plugins are there, and which are left out."""
    for entry in tables.plugins:
        unmet = unmet_requirement(entry.distribution)
        yield Finding("plugin", f"{entry.name} ({entry.owner}){'; ' if unmet else ''}{unmet}", bool(unmet))
    for slow in tables.slow:
        advice = "its hooks may say HOOKS_READ, and its factories import what is heavy (docs/reference/plugin_api.md)"
        yield Finding("plugin", f"{slow}; {advice}")
    for broken in tables.quarantined:
        advice = f"reinstall or upgrade {broken.plugin.distribution or 'it'}, or leave it out by FLYDSL_DISABLE_PLUGINS"
        yield Finding("plugin", f"left out: {broken}\n{advice}={broken.plugin.name}", is_problem=True)
    for entry in tables.disabled:
        yield Finding("plugin", f"{entry.name} is disabled by FLYDSL_DISABLE_PLUGINS")


def examine_manifests(tables: Tables) -> Iterator[Finding]:
    """What the plugins declare: backends with their libraries, runtimes with their devices, adaptors."""
    for _, backend in sorted(tables.backends.items()):
        yield attempt("backend", partial(_describe_backend, backend))
    for _, runtime in sorted(tables.runtimes.items()):
        yield attempt("runtime", partial(_describe_runtime, runtime))
    for adaptor in tables.adaptors:
        yield attempt("adaptor", partial(_describe_adaptor, adaptor))
    for manifest in tables.manifests:
        for reference in manifest.references():
            if reference != manifest.factory:  # which the lines above tell of
                finding = attempt("plugin", partial(_refer, manifest, reference))
                if finding.is_problem:
                    yield finding


def has_device(manifest: DeviceRuntimeManifest) -> bool:
    """Whether the runtime can be made, and has a device now."""
    try:
        return status_of(manifest, manifest.create()).available
    except KeyboardInterrupt:
        raise
    except BaseException:  # told by `examine_manifests`
        return False


def _describe_backend(manifest: CompileBackendManifest) -> str:
    backend = manifest.create()
    libraries = checked_libraries(manifest.name, backend.device_libraries())
    arch = f"{manifest.name} (kind {manifest.runtime_kind}): code for {backend.default_arch()} by default"
    lines = [f"{len(libraries)} device libraries in {libraries[0].parent}"] if libraries else []
    return "\n".join([arch, *lines, *backend.missing_tools()])


def _describe_runtime(manifest: DeviceRuntimeManifest) -> str:
    runtime = manifest.create()
    status, count = status_of(manifest, runtime), runtime.device_count()
    simulator = ", simulator" if manifest.simulator else ""
    state = f"{count} device{'' if count == 1 else 's'}" if status.available else f"no device: {status.reason}"
    return f"{manifest.name} (kind {manifest.kind}{simulator}): {state}"


def _describe_adaptor(manifest: Manifest) -> str:
    manifest.create()  # type: ignore[attr-defined]
    return f"{manifest.name} ({manifest.owner or 'this program'})"


def _refer(manifest: Manifest, reference: str) -> str:
    try:
        resolve_reference(reference)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ImportError(
            f"{manifest.name!r} of {manifest.owner or 'this program'} declares {reference!r}, which cannot be "
            f"imported: {described(error)}; reinstall or upgrade {manifest.distribution or 'it'}"
        ) from error
    return ""
