"""`flydsl doctor`: a report of what is installed, what is chosen and why, and what is wrong."""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial

from flydsl.base import settings
from flydsl.base.references import resolve_reference
from flydsl.base.setting import Group
from flydsl.compiler.call.native_site import describe_reader
from flydsl.plugins.active.selection import active_pair
from flydsl.plugins.active.stack import device_runtime
from flydsl.plugins.entry_points import find_entry_points, installed_distributions
from flydsl.plugins.registry import registry
from flydsl.plugins.scan.discovery import clash, discover_entry_points
from flydsl.tools.examine.cache_folder import examine_cache
from flydsl.tools.examine.finding import Finding, attempt
from flydsl.tools.examine.isolation import deadly
from flydsl.tools.examine.plugins import examine_manifests, examine_plugins, has_device
from flydsl.tools.examine.toolchain import describe_toolchain
from flydsl.tools.examine.trials import try_all
from flydsl.tools.own_output import own_output

_EPILOG = "Lines with ! are problems: the exit code is 1. A runtime without a device is none, as compiling needs none."


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; 1 when something is broken."""
    parser = argparse.ArgumentParser(prog="flydsl doctor", description="Examine the installation.", epilog=_EPILOG)
    parser.add_argument("--json", action="store_true", help="print JSON: findings, each with topic, text and problem")
    parser.add_argument("--quick", action="store_true", help="leave out the trials: compile and launch nothing")
    options = parser.parse_args(arguments)
    with own_output():
        findings = list(examine(quick=options.quick))
    broken = any(finding.is_problem for finding in findings)
    print(_as_json(findings, broken) if options.json else _as_text(findings))
    return int(broken)


def examine(*, quick: bool = False) -> Iterator[Finding]:
    """Every finding, in the order of the report."""
    yield Finding("python", f"{platform.python_version()} on {platform.platform()}")
    namespace = clash(installed_distributions()) or _regular_package()
    yield Finding("namespace", namespace or "ours alone", bool(namespace))
    yield from _without_deadly()
    tables = registry.tables
    yield from examine_plugins(tables)
    yield from examine_manifests(tables)
    pair = attempt("pair", _describe_pair)
    yield pair
    if not pair.is_problem:
        yield attempt("target", _describe_target)
        yield attempt("device", _describe_device)
        yield attempt("fingerprint", _describe_fingerprint)
    yield attempt("calls", describe_reader)
    yield attempt("toolchain", describe_toolchain)
    if not quick:
        yield from try_all(tables, {name: has_device(runtime) for name, runtime in tables.runtimes.items()})
    yield from examine_cache()
    yield from _settings()


def _without_deadly() -> Iterator[Finding]:
    """Plugins that end a process, which are then left out of this one."""
    if registry.is_loaded:
        return
    entries = find_entry_points()
    left_out = {name.lower() for name in settings.plugins.disable}
    asked = [entry for entry in entries if not left_out & {"*", entry.name.lower()}]
    found = list(deadly(asked))
    for entry, answer in found:
        yield Finding("plugin", f"left out: plugin {entry.name!r} of {entry.owner}: {answer}", is_problem=True)
    if found:
        gone = left_out | {entry.name for entry, _ in found}
        registry.swap(discover_entry_points(entries, disabled=gone))


def _as_text(findings: Sequence[Finding]) -> str:
    width = max(len(finding.topic) for finding in findings)
    lines = []
    for finding in findings:
        first, *rest = finding.text.splitlines() or [""]
        lines.append(f"{'!' if finding.is_problem else ' '} {finding.topic:<{width}}  {first}")
        lines += [f"  {'':<{width}}  {line}" for line in rest]
    return "\n".join(lines)


def _as_json(findings: Sequence[Finding], broken: bool) -> str:
    rows = [{"topic": one.topic, "text": one.text, "problem": one.is_problem} for one in findings]
    return json.dumps({"broken": broken, "findings": rows}, indent=2)


def _describe_pair() -> str:
    pair = active_pair()
    return f"{pair}\n{pair.reason}"


def _describe_target() -> str:
    backend = active_pair().backend.create()
    arch = settings.compile.arch
    return str(backend.for_arch(arch).target if arch else backend.target)


def _describe_device() -> str:
    runtime = device_runtime()
    status = runtime.status()
    if not status.available:
        return f"none: {status.reason}\ncompiling needs no device"
    devices = [runtime.device_info(ordinal) for ordinal in range(runtime.device_count())]
    rows = (f"{d.ordinal}: {d.name}, {d.arch}, {d.memory_bytes >> 20} MiB, waves of {d.warp_size}" for d in devices)
    return "\n".join(rows)


def _describe_fingerprint() -> str:
    from flydsl.plugins.active.fingerprint import fingerprint

    return fingerprint()


def _settings() -> Iterator[Finding]:
    groups = dict(settings.GROUPS)
    for manifest in registry.tables.manifests:
        with suppress(Exception):  # told with the plugin
            if manifest.settings:
                groups[manifest.settings.rpartition(":")[2]] = resolve_reference(manifest.settings)
    for name, group in groups.items():
        for own in filter(group.is_set, group.settings()):
            yield attempt("setting", partial(_describe_setting, name, group, own))


def _describe_setting(name: str, group: Group, own: str) -> str:
    return f"{name}.{own} = {getattr(group, own)!r}"


def _regular_package() -> str:
    """Why `flydsl` is no namespace package, or an empty string."""
    file = getattr(sys.modules.get("flydsl"), "__file__", None)
    return f"flydsl is a regular package ({file}): remove that file, plugins cannot add to it" if file else ""
