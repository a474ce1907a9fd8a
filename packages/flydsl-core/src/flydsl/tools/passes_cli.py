"""`flydsl passes --target gfx942` (for example): the passes of code generation, in their order."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence

from flydsl.base.errors import CompileError
from flydsl.base.settings import DEFAULT_OPT_LEVEL
from flydsl.compiler.options.target_options import target_of
from flydsl.plugins.active.selection import get_backend
from flydsl.toolchain.llvm_passes import insertion_points
from flydsl.toolchain.protocol import CodegenPoint
from flydsl.toolchain.select import default_toolchain

_EPILOG = """a pass of a plugin goes before or after any of these, or to an alias:
  llvm_codegen_passes="my-pass@after:NAME, other@before:NAME#2, third@pre-emit"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Print the points of a target, in the order in which they run."""
    parser = argparse.ArgumentParser(
        prog="flydsl passes", epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--backend", help="compile backend id (default: the active one)")
    parser.add_argument("--target", default="", help="architecture (default: that of the backend)")
    parser.add_argument(
        "--opt-level", type=int, choices=range(4), default=DEFAULT_OPT_LEVEL, help="default: %(default)s"
    )
    options = parser.parse_args(argv)
    target = target_of(options.backend, options.target)
    backend = get_backend(target.backend)
    made_for = backend.codegen_target(arch=target.arch, options={"opt_level": options.opt_level})
    if made_for is None:
        raise CompileError(f"backend {backend.name!r} does not run LLVM passes on its code for {target.arch!r}")
    for line in listing(default_toolchain().codegen_points(made_for)):
        print(line)
    return 0


def listing(points: Sequence[CodegenPoint]) -> Iterable[str]:
    """A line for each point, in the order in which they run, with the aliases between them."""
    shown = insertion_points(list(points))
    counts = Counter(point.name for point in shown)
    names = [f"{p.name}#{p.instance}" if counts[p.name] > 1 else p.name for p in shown]
    width = max(map(len, names), default=0)
    was_machine = False
    yield "LLVM IR:"
    for name, point in zip(names, shown, strict=True):
        if point.is_machine_pass and not was_machine:
            was_machine = True
            yield "machine code, from this pass on:"
        for alias in point.aliases:
            yield f"  @{alias}"
        if point.name and not point.is_analysis:
            yield f"  {name:<{width}}  {point.title}".rstrip()
    yield "  (the code is emitted)"
