"""The command line of `fly-llc`: input, output, target, plugins and passes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flydsl.base.errors import SettingError
from flydsl.base.settings import DEFAULT_OPT_LEVEL

_DESCRIPTION = "Machine code for LLVM IR, with passes of plugins over the IR and at any point of code generation."
_EPILOG = """points of code generation:
  pre-ra                     an alias: post-isel, pre-ra, post-ra, pre-sched2, pre-emit, pre-emit2
  before:machine-scheduler   before a pass of code generation, or after: one; --list-points shows them all
  before:machine-cp#2        the second of several that have one name

examples:
  fly-llc kernel.ll --mcpu CHIP                                       assembly to the terminal
  fly-llc kernel.ll --mcpu CHIP --link -o kernel.so                   a code object
  fly-llc kernel.bc --load nops.so --pass nop-sled@pre-emit -o k.o    an object with a pass of a plugin
  fly-llc kernel.ll --passes 'default<O2>' -o kernel.opt.ll           LLVM IR after a pipeline
  fly-llc kernel.ll --mcpu CHIP --print-after machine-scheduler       the machine code between two passes
"""
_KINDS = {".s": "asm", ".asm": "asm", ".o": "obj", ".ll": "llvm", ".bc": "bitcode"}
_FLAGS = (
    ("--link", "link", "link the object: a code object of a GPU, a shared library of a processor"),
    ("--list-points", "list_points", "print the points of code generation for the target, and nothing else"),
)
_REPEATED = (
    ("--load", "plugins", "PLUGIN", "a shared library with passes"),
    ("--pass", "machine_passes", "NAME@POINT", "insert a machine pass"),
    ("--print-before", "print_before", "POINT", "print the machine code before a pass to the standard error"),
    ("--print-after", "print_after", "POINT", "print the machine code after a pass, or at an alias"),
    ("--link-arg", "link_arguments", "ARG", "an argument for lld"),
)
FILE_TYPES = ("asm", "obj", "llvm", "bitcode")


@dataclass(frozen=True, slots=True)
class Options:
    """What a run of `fly-llc` was asked for."""

    input: str
    output: str
    file_type: str
    """One of FILE_TYPES: as asked for, or by the output's suffix."""
    triple: str
    chip: str
    features: str
    opt_level: int
    plugins: tuple[str, ...]
    ir_pipeline: str
    machine_passes: tuple[str, ...]
    """Each reads `NAME@POINT`."""
    print_before: tuple[str, ...]
    print_after: tuple[str, ...]
    link: bool
    link_arguments: tuple[str, ...]
    list_points: bool


def read_options(arguments: Sequence[str]) -> Options:
    """Options; SettingError for some that contradict each other.

    A malformed command line ends the program, as argparse does.
    """
    given = _parser().parse_args(arguments)
    kind, values = given.file_type, vars(given)
    if given.link_arguments and not given.link:
        raise SettingError("--link-arg is for --link, which is not given")
    if given.link and kind not in (None, "obj"):
        raise SettingError(f"--link makes an image of an object: leave out --filetype={kind}")
    if kind is None:
        kind = "obj" if given.link else _KINDS.get(Path(given.output).suffix, "asm")
    if kind in ("llvm", "bitcode"):
        for flag, field, *_ in _REPEATED:
            if values[field] and field in ("machine_passes", "print_before", "print_after"):
                raise SettingError(f"{flag} is a matter of code generation, and the output {kind!r} comes before it")
    lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    return Options(**{**values, **lists, "file_type": kind})


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fly-llc",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        usage="%(prog)s [OPTION ...] [FILE]",
    )
    add = parser.add_argument
    add("input", nargs="?", default="-", metavar="FILE", help="LLVM IR, text or bitcode (default: -, standard input)")
    add("-o", dest="output", default="-", metavar="FILE", help="what to write (default: -, standard output)")
    kinds = "default: by the suffix of the output (.s, .o, .ll, .bc), else asm"
    add("--filetype", dest="file_type", choices=FILE_TYPES, help=kinds)
    add("--mtriple", dest="triple", default="", metavar="TRIPLE", help="default: that of the IR, or that of the chip")
    add("--mcpu", dest="chip", default="", metavar="CHIP", help="such as gfx942")
    add("--mattr", dest="features", default="", metavar="+A,-B", help="features of the chip to add or remove")
    level = f"of code generation, 0 to 3 (default: {DEFAULT_OPT_LEVEL}); the IR is optimised by --passes only"
    add("-O", dest="opt_level", type=int, choices=range(4), default=DEFAULT_OPT_LEVEL, help=level)
    pipeline = "passes over the IR, as `opt -passes=` takes them: 'default<O2>,my-pass'"
    add("--passes", dest="ir_pipeline", default="", metavar="PIPELINE", help=pipeline)
    for flag, field, value, meaning in _REPEATED:
        add(flag, dest=field, metavar=value, action="append", default=[], help=f"{meaning}; may be repeated")
    for flag, field, meaning in _FLAGS:
        add(flag, dest=field, action="store_true", help=meaning)
    return parser
