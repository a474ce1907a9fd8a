"""The modules of each step of a compilation, imported when it begins: a process that runs cached code needs none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from flydsl.toolchain.select import begin_loading

_FRONTEND = (
    *("flydsl.frontend.rewriting.rewrite", "flydsl.frontend.trace", "flydsl.expr.values.emitter"),
    *(
        "flydsl.compiler.stages.write_analysis",
        "flydsl.ir.emit",
        "flydsl.toolchain.protocol",
        "flydsl.toolchain.llvm_passes",
    ),
    "flydsl.passes.registry",  # asked for the names of passes, before those of a pipeline are known
)
_EXTENSIONS = ("typing_extensions", "difflib", "immutabledict", "importlib.abc")
"""What needs libraries of Python's own: to load one waits while a thread loads LLVM, 40 ms."""
_LOWERING = ("flydsl.ir.context", "flydsl.toolchain.host_launcher")


def load_toolchain() -> None:
    """Begin to load the toolchain, in a thread of its own, while Python goes on to import."""
    for name in _EXTENSIONS:
        import_module(name)
    begin_loading()


@cache
def load_frontend() -> None:
    """Import what rewrites and traces functions."""
    _import(_FRONTEND)


def load_lowering(fragments: list[str], passes: Mapping[str, str]) -> None:
    """Import the passes of pipeline fragments, and what makes launchers; `passes` are those of a backend by name."""
    names = (fragment.partition("{")[0] for fragment in fragments)
    _load_lowering(tuple(passes[name].partition(":")[0] for name in names if name in passes))


@cache
def _load_lowering(modules: tuple[str, ...]) -> None:
    _import((*_LOWERING, *modules))


def _import(modules: tuple[str, ...]) -> None:
    from flydsl.base.startup.deferred_definitions import import_deferred

    import_deferred(modules)
