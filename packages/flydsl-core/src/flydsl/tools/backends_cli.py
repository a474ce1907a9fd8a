"""`flydsl backends`: a listing of the registry (text, or JSON for programs)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from flydsl.base.errors import text_of
from flydsl.plugins.active.border import status_of
from flydsl.plugins.manifests import DeviceRuntimeManifest, Manifest
from flydsl.plugins.registry import registry
from flydsl.plugins.tables import Tables
from flydsl.tools.own_output import own_output


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what is installed; 0."""
    parser = argparse.ArgumentParser(prog="flydsl backends", description="List what plugins offer.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    with own_output():
        listing = collect(registry.tables)
    print(json.dumps(listing, indent=2) if options.json else _as_text(listing))
    return 0


def collect(tables: Tables) -> dict[str, list[dict[str, Any]]]:
    """The tables as lists of plain dictionaries."""
    listing: dict[str, list[dict[str, Any]]] = {
        "backends": [
            _row(backend, runtime_kind=backend.runtime_kind, words=sorted(backend.expr_namespaces))
            for _, backend in sorted(tables.backends.items())
        ],
        "runtimes": [
            _row(runtime, kind=runtime.kind, simulator=runtime.simulator, state=_state(runtime))
            for _, runtime in sorted(tables.runtimes.items())
        ],
        "adaptors": [_row(adaptor, priority=adaptor.priority) for adaptor in tables.adaptors],
        "unavailable": [
            *({"name": broken.plugin.name, "why": str(broken)} for broken in tables.quarantined),
            *({"name": entry.name, "why": "disabled by FLYDSL_DISABLE_PLUGINS"} for entry in tables.disabled),
        ],
    }
    if tables.slow:
        listing["slow"] = [{"name": slow.plugin.name, "why": str(slow)} for slow in tables.slow]
    return listing


def _row(manifest: Manifest, **details: Any) -> dict[str, Any]:
    return {"name": manifest.name, "distribution": manifest.owner, **details}


def _state(manifest: DeviceRuntimeManifest) -> str:
    """The devices of a runtime: to create one touches no device, and a failure is part of the listing."""
    try:
        runtime = manifest.create()
        status, count = status_of(manifest, runtime), runtime.device_count()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"fails: {text_of(error)}"
    return f"{count} device{'' if count == 1 else 's'}" if status.available else f"no device: {status.reason}"


def _as_text(listing: dict[str, list[dict[str, Any]]]) -> str:
    lines = []
    for title, rows in listing.items():
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
