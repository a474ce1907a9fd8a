"""Trials of every backend and of every runtime that has a device, each in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from flydsl.base import settings
from flydsl.plugins.manifests import CompileBackendManifest, DeviceRuntimeManifest
from flydsl.plugins.tables import Tables
from flydsl.tools.examine.finding import Finding

Told = dict[str, str]
Start = Callable[[CompileBackendManifest, DeviceRuntimeManifest | None], Told]

_SECONDS: float = 120
_PLAIN = ("debug", "autotune", "runtime")  # groups that change what a launch does, or write files
_PROGRAM: tuple[str, ...] = ("-m", "flydsl.tools.examine.trial")


def try_all(tables: Tables, devices: dict[str, bool], start: Start | None = None) -> Iterator[Finding]:
    """A small kernel compiled by each backend, and launched by each runtime that `devices` says has one."""
    jobs: list[tuple[CompileBackendManifest, DeviceRuntimeManifest | None]] = []
    for _, backend in sorted(tables.backends.items()):
        runtimes = [r for _, r in sorted(tables.runtimes.items()) if r.kind == backend.runtime_kind and devices[r.name]]
        jobs += [(backend, runtime) for runtime in runtimes] or [(backend, None)]
    with ThreadPoolExecutor(2) as threads:
        results = list(threads.map(lambda job: (start or started)(*job), jobs))
    told_of = set[str]()
    for (backend, runtime), told in zip(jobs, results, strict=True):
        if "compiled" in told and backend.name not in told_of:
            told_of.add(backend.name)
            yield Finding("compiled", f"{backend.name}: {told['compiled']}")
        if runtime is not None and "launched" in told:
            yield Finding("launched", f"{backend.name} + {runtime.name}: {told['launched']}")
        if "failed" in told:
            stage = "launched" if "compiled" in told else "compiled"
            pair = f"{backend.name} + {runtime.name}" if runtime is not None else backend.name
            yield Finding(stage, f"{pair}: {told['failed']}", is_problem=True)


def started(backend: CompileBackendManifest, runtime: DeviceRuntimeManifest | None) -> Told:
    """What the trial of this pair tells, or how its process ended."""
    command = [sys.executable, "-P", *_PROGRAM, backend.name, runtime.name if runtime is not None else ""]
    try:
        done = subprocess.run(
            command, env=_environment(backend), capture_output=True, text=True, check=False, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"a trial in a process of its own gave no answer within {_SECONDS} s: it hangs"}
    try:
        told: Told = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        said = " ".join(done.stderr.split()[-40:])
        return {"failed": f"a trial in a process of its own {ending(done.returncode)}{': ' if said else ''}{said}"}
    return told


def _environment(backend: CompileBackendManifest) -> dict[str, str]:
    """Without the settings that choose another pair, skip the compilation, or write files."""
    declared = settings.declared().items()
    gone = {variable for name, s in declared if name.partition(".")[0] in _PLAIN for variable in s.variables}
    gone |= {variable for name in ("backend", "compile_only") for variable in _variables(name)}
    arch = settings.compile.arch
    if arch and not backend.create().supports_arch(arch):  # meant for another backend
        gone |= set(_variables("arch"))
    return settings.environment({**dict.fromkeys(gone, ""), "FLYDSL_RUNTIME_ENABLE_CACHE": "0"})


def _variables(name: str) -> tuple[str, ...]:
    return settings.compile.settings()[name].variables


def ending(code: int) -> str:
    """How a process with this exit code ended, in words."""
    if code >= 0:
        return f"ended with code {code} and no answer"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
