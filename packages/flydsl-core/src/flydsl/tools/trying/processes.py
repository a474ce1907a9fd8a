"""Where a file is tried, and the process that tries it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flydsl.plugins.active.selection import plugin_word

Report = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A backend and chip, by the environment of the processes that compile for it, and whether they run there."""

    title: str
    runs: bool
    environment: Mapping[str, str] = field(default_factory=dict)


def place_of(backend: str | None, arch: str, compile_only: bool) -> Place:
    """Where functions for a chip are compiled, and run if it is simulated; without a chip, on the active pair."""
    environment = {"FLYDSL_COMPILE_BACKEND": backend} if backend else {}
    simulated = _simulated(arch) if arch and not compile_only else None
    if simulated is not None:
        return Place(f"{arch}, simulated", True, {**environment, **simulated})
    if arch:
        environment["FLYDSL_COMPILE_ARCH"] = arch
    runs = not arch and not compile_only
    more = {} if runs else {"COMPILE_ONLY": "1"}
    title = ", ".join(part for part in (backend, arch, "" if runs else "compiled only") if part)
    return Place(title or "the active pair", runs, {**environment, **more})


def _simulated(arch: str) -> Mapping[str, str] | None:
    """The environment in which a plugin simulates a chip and checks what runs there; None when none does."""
    try:
        environment_of = plugin_word("flydsl.runtime.device", "simulated")
    except AttributeError:
        return None
    found: Mapping[str, str] | None = environment_of(arch)
    return found


def report_of(path: Path, calls: Path | None, place: Place, timeout: float) -> Report:
    """What `tried` says of a file, in one process, and in another one after each finding."""
    functions: dict[str, Any] = {}
    while True:
        report = _one_process(path, calls, place, timeout, list(functions))
        functions |= report["functions"]
        if not report["more"]:
            return {**report, "functions": functions}


def _one_process(path: Path, calls: Path | None, place: Place, timeout: float, skipped: list[str]) -> Report:
    """What `tried` says, or how the process that was to say it ended."""
    more = ["--calls", str(calls)] if calls else []
    settings = [f"{name}={value}" for name, value in place.environment.items()]
    command = [sys.executable, "-m", "flydsl.tools.cli", "try", str(path), "--one", json.dumps(skipped), *more]
    try:
        done = subprocess.run(
            ["env", *settings, *command], capture_output=True, text=True, timeout=timeout, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return {"import": f"took more than {timeout:g} s", "functions": {}, "more": False}
    try:
        report: Report = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = (done.stderr.strip().splitlines() or ["it wrote nothing"])[-1]
        reason = f"the process ended with code {done.returncode}: {last}"
        return {"import": reason, "functions": {}, "more": False}
    return report
