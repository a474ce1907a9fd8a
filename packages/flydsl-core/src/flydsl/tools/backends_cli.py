"""`flydsl backends`: a listing of the registry (text, or JSON for programs)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest, TensorAdaptorManifest
from flydsl.plugins.registry import Tables, registry


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is installed; 0."""
    parser = argparse.ArgumentParser(prog="flydsl backends", description="List what plugins offer.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    found = collect(registry.tables)
    print(json.dumps(found, indent=2) if options.json else _as_text(found))
    return 0


def collect(tables: Tables) -> dict[str, list[dict[str, Any]]]:
    """The tables as lists of plain dictionaries."""
    return {
        "backends": [_backend(tables.backends[name]) for name in sorted(tables.backends)],
        "runtimes": [_runtime(tables.runtimes[name]) for name in sorted(tables.runtimes)],
        "adaptors": [_adaptor(manifest) for manifest in tables.adaptors],
        "unavailable": [
            *({"name": broken.plugin.name, "why": str(broken)} for broken in tables.quarantined),
            *({"name": entry.name, "why": "disabled by FLYDSL_DISABLE_PLUGINS"} for entry in tables.disabled),
        ],
    }


def _backend(manifest: CompileBackendManifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "distribution": f"{manifest.distribution} {manifest.version}".strip(),
        "runtime_kind": manifest.runtime_kind,
        "words": sorted(manifest.expr_namespaces),
    }


def _runtime(manifest: DeviceRuntimeManifest) -> dict[str, Any]:
    """Asks the runtime for its devices; making one touches no device, and a failure is part of the listing."""
    try:
        runtime = manifest.create()
        status, count = runtime.status(), runtime.device_count()
        state = f"{count} device{'' if count == 1 else 's'}" if status.available else f"no device: {status.reason}"
    except Exception as error:
        state = f"fails: {type(error).__name__}: {error}"
    return {
        "name": manifest.name,
        "distribution": f"{manifest.distribution} {manifest.version}".strip(),
        "kind": manifest.kind,
        "simulator": manifest.simulator,
        "state": state,
    }


def _adaptor(manifest: TensorAdaptorManifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        "distribution": f"{manifest.distribution} {manifest.version}".strip(),
        "priority": manifest.priority,
    }


def _as_text(found: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for title, rows in found.items():
        lines.append(f"{title}:" if rows else f"{title}: none")
        for row in rows:
            details = [_detail(key, value) for key, value in row.items() if key != "name"]
            lines.append(f"  {row['name']:<10} {', '.join(filter(None, details))}")
    return "\n".join(lines)


def _detail(key: str, value: Any) -> str:
    if value in ("", [], False):
        return ""
    if key in ("distribution", "why", "state"):
        return str(value)
    if value is True:
        return key
    text = " ".join(value) if isinstance(value, list) else str(value)
    return f"{key.replace('_', ' ')} {text}"
