"""`flydsl COMMAND ...`: subcommands, imported only when they run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from flydsl.base import settings
from flydsl.base.errors import FlyDSLError
from flydsl.base.references import resolve_reference

_SIGPIPE = 128 + 13  # what shells report for a writer whose reader went away

COMMANDS: dict[str, tuple[str, str]] = {
    "doctor": ("flydsl.tools.doctor:main", "what is installed, which pair is active and why, what is wrong"),
    "backends": ("flydsl.tools.backends_cli:main", "compile backends, device runtimes and tensor adaptors"),
    "layout": ("flydsl.tools.layout_cli:main", "draw a layout"),
    "cache": ("flydsl.tools.cache_cli:main", "the compile cache: list, why, clear, path, verify, export, import"),
    "passes": ("flydsl.tools.passes_cli:main", "list where LLVM passes can be put into code generation"),
    "conformance": ("flydsl.tools.conformance_cli:main", "test an installed backend, and print what it can do"),
    "compile": ("flydsl.tools.compile_cli:main", "compile a function of a file for any target"),
    "try": ("flydsl.tools.trying.command_line:main", "try a folder of kernels written elsewhere"),
    "precompile": ("flydsl.tools.precompile_cli:main", "fill the cache with many functions, on many workers"),
}
"""Subcommand to the function that runs it and returns the exit code, and one line of help."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `flydsl`; 0 on success, 1 when the subcommand fails, 2 for a wrong command line."""
    line = list(sys.argv[1:] if arguments is None else arguments)
    if not line or line[0] in ("-h", "--help"):
        _print_help(sys.stdout)
        return 0 if line else 2
    if line[0] in ("-V", "--version"):
        from importlib.metadata import version

        print(f"flydsl-core {version('flydsl-core')}")
        return 0
    command, *rest = line
    if command not in COMMANDS:
        print(f"flydsl: unknown command {command!r}", file=sys.stderr)
        _print_help(sys.stderr)
        return 2
    return _run(command, rest)


def _run(command: str, rest: list[str]) -> int:
    try:
        code: int | None = resolve_reference(COMMANDS[command][0])(rest)
        sys.stdout.flush()
    except BrokenPipeError:  # as in `flydsl layout ... | head`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _SIGPIPE
    except FlyDSLError as error:
        if settings.debug.show_stacktrace:
            raise
        print(f"flydsl {command}: {error}", file=sys.stderr)
        return 1
    return code or 0


def _print_help(stream: TextIO) -> None:
    width = max(map(len, COMMANDS))
    lines = [f"  {name:<{width}}  {meaning}" for name, (_, meaning) in COMMANDS.items()]
    text = "\n".join(["usage: flydsl COMMAND [ARGUMENT ...]", "", "commands:", *lines, ""])
    print(f"{text}\n'flydsl COMMAND --help' says more", file=stream)


if __name__ == "__main__":
    sys.exit(main())
