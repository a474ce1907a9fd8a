"""`flydsl compile FILE:FUNCTION --arg ... --target gfx942 --emit isa`: any stage of a compilation."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flydsl.base.errors import ArgumentError, FlyDSLError
from flydsl.tools.compile_request import EPILOG, CompileRequest, add_arguments

if TYPE_CHECKING:
    from flydsl.compiler.pipeline import Traced

_EMITS = ("fly", "mlir", "llvm", "isa", "object", "launcher")


def main(argv: Sequence[str] | None = None) -> int:
    """Compile one @jit function and print or write a stage or a report; 0 when it worked, 1 with a message when not."""
    parser = argparse.ArgumentParser(
        prog="flydsl compile", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    parser.add_argument("--emit", choices=_EMITS, default="mlir", help="stage to show (default: mlir)")
    parser.add_argument("--report", action="store_true", help="counts of the machine code instead of a stage")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    parser.add_argument("--against", type=Path, metavar="FILE", help="what changed from the report in FILE (--json)")
    parser.add_argument("-o", "--output", type=Path, help="file to write (default: standard output)")
    options = parser.parse_args(argv)
    try:
        result = (
            _report(options) if _wants_report(options) else _stage(CompileRequest.of(options).traced(), options.emit)
        )
        data = result.encode() if isinstance(result, str) else result
        if options.output is not None:
            options.output.write_bytes(data)
    except (FlyDSLError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.output is None:
        if isinstance(result, bytes) and sys.stdout.isatty():
            print(f"error: {options.emit} is {len(data)} bytes for a file: name it with -o", file=sys.stderr)
            return 1
        sys.stdout.buffer.write(data)
    return 0


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
