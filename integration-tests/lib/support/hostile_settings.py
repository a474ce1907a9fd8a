"""Values that no setting expects, in every variable of the settings table, each for a program of its own."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from flydsl.base import settings
from flydsl.base.setting import Group

PLUGINS = ("cpu", "rocm", "hipsim", "cuda")
"""Whose settings count, where they are installed."""
PATIENCE_S = 300
VALUES: tuple[bytes, ...] = (
    *(b"-1", b"0", b"1" * 5000, b"99999999999999999999", b"1e3", b"nan", b"0x10", b"on off", b",", b"*", b":@#"),
    *(b"\xff\xfe", b"a\nb", b"\x1b[31mred", b"%s {} {0}", b"'\"`$(x)", "\N{GRINNING FACE}".encode(), b"a" * 5000),
    *(b"/dev/null", b"/dev/null/x", b"/dev/full", b"/proc/none/x", b"/etc/passwd", b"relative/../nowhere"),
    *(b"~nobody/x", b"~no-such-user/x", b"~", b"os:system", b"file:///proc/none", b"nowhere://x"),
)
"""But for a NUL, which no environment holds."""
COMPANIONS = {
    "FLYDSL_DUMP_DIR": {"FLYDSL_DUMP_IR": "1", "FLYDSL_DEBUG_DUMP_ASM": "1"},
    "FLYDSL_RUNTIME_CACHE_REMOTE_KEY_FILE": {"FLYDSL_RUNTIME_CACHE_REMOTE": "shared"},
    "FLYDSL_RUNTIME_CACHE_REMOTE_TIMEOUT": {"FLYDSL_RUNTIME_CACHE_REMOTE": "shared"},
    "FLYDSL_RUNTIME_CACHE_REMOTE_READ_ONLY": {"FLYDSL_RUNTIME_CACHE_REMOTE": "shared"},
    "FLYDSL_COMPILE_MLIR_PACKAGE": {"FLYDSL_COMPILE_TOOLCHAIN": "upstream"},
}
"""Variables that make another one matter."""
TUNED = ("FLYDSL_AUTOTUNE", "FLYDSL_AUTOTUNE_CACHE_DIR", "FLYDSL_AUTOTUNE_CONFIG_DIR")
_PROGRAM = Path(__file__).with_name("hostile_program.py")


class Attempt(NamedTuple):
    """A program under one value of one variable."""

    variable: str
    value: bytes

    def __str__(self) -> str:
        return f"{self.variable}={self.value[:60]!r}"


def groups() -> dict[str, Group]:
    """The groups of settings of the core, and of plugins that are installed."""
    found = dict(settings.GROUPS)
    for plugin in PLUGINS:
        try:
            module = importlib.import_module(f"flydsl_{plugin}.settings")
        except ImportError:
            continue
        found[plugin] = next(value for value in vars(module).values() if isinstance(value, Group))
    return found


def variables() -> Iterator[str]:
    """Every variable of every setting."""
    for group in groups().values():
        for setting in group.settings().values():
            yield from setting.variables


def attempts() -> list[Attempt]:
    """All of them."""
    return [Attempt(variable, value) for variable in variables() for value in VALUES]


def problem_of(attempt: Attempt) -> str:
    """What is wrong with how a program under it ends; nothing when it works, or is told variable, value and remedy."""
    with TemporaryDirectory() as folder:
        base = {"FLYDSL_COMPILE_BACKEND": "cpu", "FLYDSL_RUNTIME_CACHE_DIR": f"{folder}/cache", "HOME": folder}
        base["FLYDSL_AUTOTUNE_CACHE_DIR"] = f"{folder}/tuned"
        environment = {os.fsencode(k): os.fsencode(v) for k, v in {**os.environ, **base}.items()}
        environment |= {k.encode(): v.encode() for k, v in COMPANIONS.get(attempt.variable, {}).items()}
        environment[attempt.variable.encode()] = attempt.value
        command = [sys.executable, str(_PROGRAM), "tuned" if attempt.variable in TUNED else "plain"]
        try:
            done = subprocess.run(
                command, env=environment, cwd=folder, capture_output=True, check=False, timeout=PATIENCE_S
            )
        except subprocess.TimeoutExpired:
            return f"{attempt}: it has not ended after {PATIENCE_S} s"
    return _judged(attempt, done)


def _judged(attempt: Attempt, done: subprocess.CompletedProcess[bytes]) -> str:
    lines = done.stdout.decode(errors="replace").splitlines()
    try:
        answer = json.loads(lines[-1])
    except (IndexError, ValueError):
        tail = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        return f"{attempt}: it ended with code {done.returncode} and no answer, {tail}"
    if answer.get("right"):
        return ""
    text = answer["text"]
    if not answer["typed"]:
        return f"{attempt}: {answer['kind']}: {text[:200]}"
    return "" if attempt.variable in text else f"{attempt}: {answer['kind']} names no variable: {text[:200]}"
