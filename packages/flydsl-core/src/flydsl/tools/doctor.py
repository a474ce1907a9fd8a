"""`flydsl doctor`: a report of what is installed, what is chosen and why, and what is wrong."""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError
from flydsl.base.references import resolve_reference
from flydsl.base.setting import Group
from flydsl.cache.store import default_store
from flydsl.compiler.call.native_site import describe_reader
from flydsl.plugins.discovery import clash
from flydsl.plugins.entry_points import installed_distributions
from flydsl.plugins.registry import registry
from flydsl.plugins.selection import active_pair
from flydsl.plugins.stack import device_runtime
from flydsl.tools import backends_cli


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `is_problem` when nothing can work until it is solved."""

    topic: str
    text: str
    is_problem: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report; 1 when it contains a problem."""
    parser = argparse.ArgumentParser(prog="flydsl doctor", description="Examine the installation.")
    parser.parse_args(arguments)
    findings = list(examine())
    width = max(len(finding.topic) for finding in findings)
    for finding in findings:
        first, *rest = finding.text.splitlines()
        print(f"{'!' if finding.is_problem else ' '} {finding.topic:<{width}}  {first}")
        for line in rest:
            print(f"  {'':<{width}}  {line}")
    return int(any(finding.is_problem for finding in findings))


def examine() -> Iterator[Finding]:
    """Every finding, in the order of the report."""
    yield Finding("python", f"{platform.python_version()} on {platform.platform()}")
    namespace = clash(installed_distributions()) or _regular_package()
    yield Finding("namespace", namespace or "ours alone", bool(namespace))
    yield from _plugins()
    pair = _attempt("pair", _describe_pair)
    yield pair
    if not pair.is_problem:
        yield _attempt("target", _describe_target)
        yield _attempt("device", _describe_device)
        yield _attempt("fingerprint", _describe_fingerprint)
    yield _attempt("calls", describe_reader)
    yield _attempt("toolchain", _describe_toolchain)
    yield _attempt("cache", _describe_cache)
    yield from _settings()


def _plugins() -> Iterator[Finding]:
    tables = registry.tables
    for entry in tables.plugins:
        yield Finding("plugin", f"{entry.name} ({entry.owner})")
    for broken in tables.quarantined:
        yield Finding("plugin", f"left out: {broken}", is_problem=True)
    for entry in tables.disabled:
        yield Finding("plugin", f"{entry.name} is disabled by FLYDSL_DISABLE_PLUGINS")
    for runtime in backends_cli.collect(tables)["runtimes"]:
        simulator = ", simulator" if runtime["simulator"] else ""
        yield Finding("runtime", f"{runtime['name']} (kind {runtime['kind']}{simulator}): {runtime['state']}")


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
    from flydsl.plugins.fingerprint import fingerprint

    return fingerprint()


def _describe_toolchain() -> str:
    from flydsl.toolchain.select import default_toolchain

    toolchain = default_toolchain()
    return f"{toolchain.name}, LLVM {toolchain.version()}"


def _describe_cache() -> str:
    store = default_store()
    folder = str(store.path) if store.path is not None else "nowhere"
    return folder if store.is_enabled else f"{folder} (off: {store.reason})"


def _settings() -> Iterator[Finding]:
    groups = dict(settings.GROUPS)
    for manifest in registry.tables.manifests:
        if manifest.settings:
            groups[manifest.settings.rpartition(":")[2]] = resolve_reference(manifest.settings)
    for name, group in groups.items():
        for own in filter(group.is_set, group.settings()):
            yield _attempt("setting", partial(_describe_setting, name, group, own))


def _describe_setting(name: str, group: Group, own: str) -> str:
    return f"{name}.{own} = {getattr(group, own)!r}"


def _attempt(topic: str, describe: Callable[[], str]) -> Finding:
    """The text of `describe`, or why it fails."""
    try:
        return Finding(topic, describe())
    except (FlyDSLError, OSError, ImportError) as error:
        return Finding(topic, str(error), is_problem=True)


def _regular_package() -> str:
    """Why `flydsl` is no namespace package, or an empty string."""
    file = getattr(sys.modules.get("flydsl"), "__file__", None)
    return f"flydsl is a regular package ({file}): remove that file, plugins cannot add to it" if file else ""
