"""`fly-opt [OPTION|PASS ...] [FILE]`: `mlir-opt` for Fly and upstream MLIR."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from flydsl.base.errors import Diagnostic, FlyDSLError
from flydsl.tools.opt.command_line import Options, help_text, read_input, read_options, split
from flydsl.tools.opt.diagnostics import compare, diagnostics_of, render
from flydsl.tools.opt.installed import installed
from flydsl.tools.opt.program import Program, Session


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `fly-opt`; 0 on success, 1 with diagnostics on the standard error when not."""
    try:
        options = read_options(sys.argv[1:] if arguments is None else arguments)
        known = installed()
        for problem in known.problems:
            print(f"fly-opt: warning: {problem}", file=sys.stderr)
        if options.help:
            print(help_text(known.summaries()), end="")
            return 0
        text = read_input(options.input, sys.stdin)
    except FlyDSLError as error:
        print(f"fly-opt: error: {error}", file=sys.stderr)
        return 1
    from flydsl.toolchain.select import default_toolchain

    session = Session(known, default_toolchain(), allow_unregistered=options.allow_unregistered)
    results = [_process(session, part, options) for part in split(text, options.split_marker)]
    printed = f"{options.split_marker}\n".join(output for output, _ in results)
    try:
        _write(printed, options.output)
    except (OSError, ValueError) as error:
        print(f"fly-opt: error: cannot write {options.output!r}: {error}", file=sys.stderr)
        return 1
    return 0 if all(success for _, success in results) else 1


def _process(session: Session, text: str, options: Options) -> tuple[str, bool]:
    """The output of one part, and whether all went as expected."""
    file = "<stdin>" if options.input == "-" else options.input
    output, problems = _run(session, text, file, options)
    if options.verify_diagnostics:
        problems = compare(problems, file, text)
    for problem in problems:
        print(render(problem, file, text), file=sys.stderr)
    return output, not problems


def _run(session: Session, text: str, file: str, options: Options) -> tuple[str, list[Diagnostic]]:
    own_text = not session.is_ours(text)
    try:
        program = Program.read(session, text, file)
        own_text = False
        program.apply(options.pipeline)
        return program.print(generic=options.generic, locations=options.locations), []
    except Exception as error:  # whatever the input does, the answer is a diagnostic
        return "", diagnostics_of(error, file, own_text=own_text)


def _write(text: str, name: str) -> None:
    if name == "-":
        sys.stdout.write(text)
    else:
        Path(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
