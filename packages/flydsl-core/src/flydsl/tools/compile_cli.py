"""`flydsl compile FILE:FUNCTION --arg ... --target gfx942 --emit isa`: any stage of compilations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.tools.compile_many import BINARY, SUFFIXES, compile_many, split
from flydsl.tools.compile_request import EPILOG, CompileRequest, add_arguments
from flydsl.tools.jobs import Done, JobParser, told

if TYPE_CHECKING:
    from flydsl.compiler.stages.pipeline import Traced

_EPILOG = f"""several functions, each with its arguments behind it:
  flydsl compile kernels.py:add --arg 'f32[64]' kernels.py:sum --arg 'f32[64]' --report -j 2

{EPILOG}"""


def main(argv: Sequence[str] | None = None) -> int:
    """Compile @jit functions, and print or write a stage or a report of each; 0 when it worked, 1 with a message when
    not.
    """
    words = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        allow_abbrev=False,  # words are told apart before they are parsed
        prog="flydsl compile",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_arguments(parser)
    line = split(words)
    is_one = len(line.functions) < 2
    options = parser.parse_args(words if is_one else (*line.functions[0], *line.common))
    try:
        if not is_one:
            _wants_report(options)
            return compile_many(line, options, compiled)
        data = _result(options)
        if options.output is not None:
            options.output.write_bytes(data)
    except (FlyDSLError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.output is None:
        if options.emit in BINARY and not options.report and sys.stdout.isatty():
            print(f"error: {options.emit} is {len(data)} bytes for a file: name it with -o", file=sys.stderr)
            return 1
        sys.stdout.buffer.write(data)
    return 0


def compiled(words: Sequence[str], place: str) -> Done:
    """Run in a worker: what one function of several asks for."""
    parser = JobParser(add_help=False)
    _add_arguments(parser)
    return told(lambda: _result(parser.parsed(words, place)))


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    add_arguments(parser)
    parser.add_argument("--emit", choices=SUFFIXES, default="mlir", help="stage to show (default: mlir)")
    parser.add_argument("--report", action="store_true", help="counts of the machine code instead of a stage")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--against", type=Path, metavar="FILE", help="what changed from the report in FILE (--json)")
    parser.add_argument(
        "-o", "--output", type=Path, help="file to write, of several functions a folder (default: standard output)"
    )
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes for several functions (default: this one)")


def _result(options: argparse.Namespace) -> bytes:
    if _wants_report(options):
        return _report(options).encode()
    result = _stage(CompileRequest.of(options).traced(), options.emit)
    return result.encode() if isinstance(result, str) else result


def _wants_report(options: argparse.Namespace) -> bool:
    if (options.json or options.against) and not options.report:
        raise ArgumentError("--json and --against belong to --report")
    if options.json and options.against:
        raise ArgumentError("--json and --against exclude each other: a comparison is text")
    return bool(options.report)


def _report(options: argparse.Namespace) -> str:
    """Counts of the machine code of each kernel, or how they differ from those in a file."""
    from flydsl.tools.code_report import comparison_text, read_json, report_json, report_text

    before = read_json(options.against) if options.against else None
    artifact = CompileRequest.of(options).traced().lower().compile()
    target = f"{artifact.target.backend} {artifact.target.arch}"
    if before is not None:
        return comparison_text(target, artifact.report(), before)
    return (report_json if options.json else report_text)(target, artifact.report())


def _stage(traced: Traced, emit: str) -> str | bytes:
    if emit == "fly":
        return traced.text
    lowered = traced.lower()
    if emit == "mlir":
        return lowered.device_text
    if emit == "llvm":
        return lowered.llvm_ir()
    artifact = lowered.compile()
    if emit == "isa":
        return artifact.disassemble()
    return artifact.device if emit == "object" else artifact.launcher
