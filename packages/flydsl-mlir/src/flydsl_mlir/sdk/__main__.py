"""`python -m flydsl_mlir.sdk`: new plugins, their build, flags for other build systems, facts of plugin files."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from flydsl_mlir import sdk
from flydsl_mlir.errors import MlirError
from flydsl_mlir.passes import plugin_passes
from flydsl_mlir.plugin_file import check_plugin, read_plugin


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 on success, 1 with a message on the standard error when not."""
    options = _parser().parse_args(arguments)
    try:
        for line in _run(options):
            print(line)
    except (MlirError, ImportError) as error:
        print(f"flydsl_mlir.sdk: error: {error}", file=sys.stderr)
        return 1
    return 0


def _run(options: argparse.Namespace) -> list[str]:
    if options.command == "new":
        return [str(sdk.create_project(options.folder))]
    if options.command == "build":
        return [str(sdk.build(*options.sources, output=options.output))]
    if options.command == "flags":
        return [shlex.join([*sdk.compile_flags(), *sdk.link_flags()])]
    if options.command == "include-dir":
        return [str(sdk.include_dir())]
    check_plugin(options.plugin)
    plugin = read_plugin(options.plugin)
    has_ir_passes, *machine_passes = _passes(options.plugin)
    return [
        f"built with LLVM: {plugin.built_with or 'not said'}",
        f"linked with: {', '.join(plugin.libraries)}",
        f"passes over LLVM IR: {has_ir_passes}",
        f"machine passes: {', '.join(machine_passes) or 'none'}",
    ]


def _passes(plugin: str) -> list[str]:
    """`yes` or `no` for passes over LLVM IR, whose names only pipelines show, and the names of machine passes."""
    names = plugin_passes(plugin)
    return ["yes" if "" in names else "no", *filter(None, names)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m flydsl_mlir.sdk", description="Plugins with LLVM passes.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    new = commands.add_parser("new", help="copy the template of a pip package with a plugin")
    new.add_argument("folder", help="a new folder; its name is that of the package")
    build = commands.add_parser("build", help="compile a plugin, unless it is up to date")
    build.add_argument("sources", nargs="+", metavar="SOURCE", help="C++ files, and headers to look at for changes")
    build.add_argument("-o", dest="output", metavar="FILE", help="default: the first source, with the suffix .so")
    commands.add_parser("flags", help="print arguments for a C++ compiler (the sources go before the last one)")
    commands.add_parser("include-dir", help="print the folder of fly_pass.h")
    check = commands.add_parser("check", help="say which LLVM a plugin is for, and which passes it has")
    check.add_argument("plugin", metavar="PLUGIN", help="a shared library")
    return parser


if __name__ == "__main__":
    sys.exit(main())
