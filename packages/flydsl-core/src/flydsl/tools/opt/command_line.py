"""The command line of `fly-opt`: options and an ordered pass pipeline."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flydsl.base.errors import SettingError
from flydsl.passes.pipeline_text import Nested, PassSpec, parse

_MARKER = "// -----"
_DESCRIPTION = "Read Fly and upstream MLIR, run passes in the order of their flags, print the result."
_FLAGS = (
    ("--verify-diagnostics", "verify_diagnostics", "compare diagnostics with `expected-error {{...}}` comments"),
    ("--mlir-print-op-generic", "generic", "print every operation in generic form"),
    ("--mlir-print-debuginfo", "locations", "print locations"),
    ("--allow-unregistered-dialect", "allow_unregistered", "take operations of unknown dialects"),
)
"""Switches: the flag, the field of `Options`, and the help."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a run of `fly-opt` was asked for."""

    input: str
    output: str
    pipeline: tuple[PassSpec | Nested, ...]
    split_marker: str
    verify_diagnostics: bool
    generic: bool
    locations: bool
    allow_unregistered: bool
    help: bool


def read_options(arguments: Sequence[str]) -> Options:
    """Options; a flag that is none of them is a pass, `--pass="option=value ..."` with options.

    SettingError for flags that contradict each other; a malformed command line ends the program, as argparse does.
    """
    parser = _parser()
    known = {option for action in parser._actions for option in action.option_strings}
    passes: list[PassSpec | Nested] = []
    others: list[str] = []
    for argument in map(_normal, arguments):
        if argument.startswith("--") and argument.partition("=")[0] not in known:
            passes.append(_pass(argument))
        else:
            others.append(argument)
    options, rest = parser.parse_known_args(others)
    if rest:
        raise SettingError(f"{rest[0]!r} is one argument too many: one input file is read")
    if options.pipeline is None:
        options.pipeline = tuple(passes)
    elif passes:
        raise SettingError(f"--pass-pipeline and the flag {str(passes[0])!r} exclude each other")
    else:
        options.pipeline = tuple(parse(options.pipeline))
    return Options(**vars(options))


def help_text(summaries: Iterable[tuple[str, str]]) -> str:
    """The help, with each pass and its one-line summary."""
    passes = list(summaries)
    width = max((len(name) for name, _ in passes), default=0)
    lines = [f"  --{name:<{width}}  {summary}" for name, summary in passes]
    head = "passes (any pass of upstream MLIR is taken too; `canonicalize` and `cse` run here while Fly IR remains):"
    return "\n".join([_parser().format_help(), head, *lines, ""])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fly-opt",
        description=_DESCRIPTION,
        add_help=False,
        allow_abbrev=False,
        usage="%(prog)s [OPTION|PASS ...] [FILE]",
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", metavar="FILE", help="what to read (default: -, the standard input)")
    add("-o", dest="output", default="-", metavar="FILE", help="what to write (default: -, the standard output)")
    add("-h", "--help", action="store_true", help="show this")
    pipeline_help = "passes as text, such as 'builtin.module(fly-canonicalize,cse)'"
    add("--pass-pipeline", dest="pipeline", metavar="TEXT", help=pipeline_help)
    split_help = f"parts between lines that are MARKER ('{_MARKER}') stand alone"
    add("--split-input-file", dest="split_marker", default="", metavar="MARKER", help=split_help)
    for flag, field, meaning in _FLAGS:
        add(flag, dest=field, action="store_true", help=meaning)
    return parser


def _normal(argument: str) -> str:
    """An argument with two dashes, where MLIR's tools also take one, and with the marker that is the default."""
    if argument.startswith("-") and not argument.startswith(("--", "-o")) and len(argument) > 2:
        argument = f"-{argument}"
    return f"{argument}={_MARKER}" if argument == "--split-input-file" else argument


def _pass(argument: str) -> PassSpec:
    name, _, options = argument.partition("=")
    text = name.lstrip("-")
    (item,) = parse(f"{text}{{{options}}}" if options else text) or (None,)
    if not isinstance(item, PassSpec):
        raise SettingError(f"{argument!r} names no pass; --pass-pipeline takes pipelines")
    return item


def split(text: str, marker: str) -> list[str]:
    """The parts between lines that are `marker`, each with blank lines in front that keep its line numbers."""
    if not marker:
        return [text]
    parts: list[list[str]] = [[]]
    for number, line in enumerate(text.split("\n")):
        if line.strip() == marker:
            parts.append([""] * (number + 1))
        else:
            parts[-1].append(line)
    return ["\n".join(part) for part in parts]


def read_input(name: str, standard_input: Iterable[str]) -> str:
    """The text of a file, or of the standard input for `-`; SettingError when it cannot be read."""
    try:
        text = "".join(standard_input) if name == "-" else Path(name).read_text(encoding="utf-8")
        text.encode()  # a stream may escape what is no UTF-8 as lone surrogates
    except (OSError, ValueError) as error:  # no UTF-8, or a zero in the name
        raise SettingError(f"cannot read {name!r}: {error}") from None
    return text
