"""`fly-llc [OPTION ...] [FILE]`: `llc` with passes of plugins at any point of code generation."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from flydsl.base.errors import Diagnostic, FlyDSLError, SettingError, ToolchainError
from flydsl.tools.llc.command_line import Options, read_options
from flydsl.tools.llc.compilation import Compilation
from flydsl.tools.llc.source import read_source

_OF_INPUT = ("module.ll", "<string>")
"""What the toolchain calls its input."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `fly-llc`; 0 on success, 1 with diagnostics on the standard error when not."""
    file = ""
    try:
        options = read_options(sys.argv[1:] if arguments is None else arguments)
        file = "<stdin>" if options.input == "-" else options.input
        _write(_result(options), options.output)
    except FlyDSLError as error:
        for line in _messages(error, file):
            print(line, file=sys.stderr)
        return 1
    return 0


def _result(options: Options) -> str | bytes:
    from flydsl.toolchain.select import default_toolchain

    alone = options.list_points and (options.chip or options.triple)  # else the IR says for what
    compilation = Compilation(options, default_toolchain(), b"" if alone else read_source(options.input))
    return compilation.points() if options.list_points else compilation.run()


def _messages(error: FlyDSLError, file: str) -> Iterator[str]:
    """`fly-llc: error: message`, then what the toolchain says, with positions in `file`."""
    if not isinstance(error, ToolchainError) or not error.diagnostics:
        yield f"fly-llc: error: {error}"
        return
    yield f"fly-llc: error: {str(error).splitlines()[0]}"
    for diagnostic in error.diagnostics:
        yield f"  {_located(diagnostic, file)}"


def _located(diagnostic: Diagnostic, file: str) -> Diagnostic:
    own = diagnostic.file in _OF_INPUT
    return (
        Diagnostic(diagnostic.severity, diagnostic.message, file, diagnostic.line, diagnostic.column)
        if own
        else diagnostic
    )


def _write(result: str | bytes, name: str) -> None:
    """Write text or bytes to a file, or to the standard output for `-`."""
    data = result.encode() if isinstance(result, str) else result
    if name == "-" and isinstance(result, bytes) and sys.stdout.isatty():
        raise SettingError("the output is no text, and the standard output a terminal: name a file with -o")
    try:
        if name == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.flush()
        else:
            Path(name).write_bytes(data)
    except BrokenPipeError:  # as in `fly-llc ... | head`: who reads has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as error:
        raise SettingError(f"cannot write {name!r}: {error}") from None


if __name__ == "__main__":
    sys.exit(main())
