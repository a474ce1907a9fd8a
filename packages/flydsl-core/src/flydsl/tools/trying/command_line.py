"""`flydsl try FOLDER`: which files of kernels can be imported, which functions compile, and what running them finds."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from flydsl.base.errors import FlyDSLError, SettingError
from flydsl.plugins.active.selection import plugin_word
from flydsl.tools.trying.attempts import tried
from flydsl.tools.trying.processes import Place, place_of, report_of
from flydsl.tools.trying.reports import show

_EPILOG = """\
FILE has for each file of kernels a function of its name that gives calls by name, made of arrays as a program would
have them; a pair of a call and a check of what it computed says whether that is right:

    def softmax(module):
        x = np.random.rand(128, 256).astype(np.float32)
        y = np.zeros_like(x)
        return {"softmax": (lambda: module.build(256)(x, y), lambda: np.allclose(y.sum(1), 1))}

A @flyc.jit function of a module that no call names is called with arrays of f32 of one, two and three dimensions, with
the defaults of its compile-time arguments. On a target that a plugin simulates calls run, checked for races, missing
waits and accesses out of bounds; else they are compiled only. The exit code is 1 when anything fails."""


def main(argv: Sequence[str] | None = None) -> int:
    """Report on each file and target, tried in a process of its own."""
    parser = argparse.ArgumentParser(
        prog="flydsl try", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?", help="kernels, or one file of them")
    parser.add_argument("--of", metavar="FRAMEWORK", help="the kernels that an installed framework carries")
    parser.add_argument("--calls", type=Path, metavar="FILE", help="calls of functions, and checks")
    parser.add_argument("--backend", help="by default the one that programs get")
    parser.add_argument("--target", action="append", default=[], metavar="ARCH", help="a chip; again for more")
    parser.add_argument("--compile-only", action="store_true", help="run nothing, though a simulator could")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for each file and target")
    parser.add_argument("--one", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.one is not None:
        print(json.dumps(tried(options.folder, options.calls, options.one)))
        return 0
    if (options.folder is None) == (options.of is None):
        parser.error("give a folder, or --of a framework")
    try:
        if options.of is None:
            files = _files(options.folder, options.calls)
        else:
            files = cast("dict[str, Path]", _of(options.of, "kernels"))
            options.calls = options.calls or _of(options.of, "calls")
        places = [place_of(options.backend, arch, options.compile_only) for arch in options.target or [""]]
    except FlyDSLError as error:
        print(f"flydsl try: {error}", file=sys.stderr)
        return 1
    if not files:
        parser.error(f"{options.folder} has no Python files")
    return max([_on(place, files, options) for place in places])


def _on(place: Place, files: dict[str, Path], options: argparse.Namespace) -> int:
    print(f"-- {place.title}")
    return show({name: report_of(path, options.calls, place, options.timeout) for name, path in files.items()}, place)


def _of(framework: str, what: str) -> object:
    """The files of kernels of an installed framework, or that of their calls; SettingError where no plugin has any."""
    try:
        return plugin_word("flydsl.compiler", f"{what}_of_{framework}")()
    except AttributeError as error:
        raise SettingError(f"no installed plugin knows {what} of {framework!r}; give a folder") from error


def _files(folder: Path, calls: Path | None) -> dict[str, Path]:
    """The Python files below a folder by their names in it, without that of the calls."""
    found = [folder] if folder.is_file() else sorted(folder.rglob("*.py"))
    return {
        str(path.relative_to(folder)) if path != folder else path.name: path
        for path in found
        if calls is None or path.resolve() != calls.resolve()
    }
