"""The modules of each step of a call, imported when it begins: what a process that runs cached code needs is one step,
what a compilation needs are two more."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from flydsl.base.deferred_methods import deferred_methods

_LOOKUP = ("flydsl.cache.dependencies", "flydsl.compiler.build")
_FRONTEND = (
    *("flydsl.frontend.rewrite", "flydsl.frontend.trace", "flydsl.expr.values.emitter"),
    *("flydsl.compiler.write_analysis", "flydsl.ir.emit", "flydsl.toolchain.protocol", "flydsl.toolchain.llvm_passes"),
)
_EXTENSIONS = ("typing_extensions", "difflib", "immutabledict", "importlib.abc")
"""What needs libraries of Python's own: to load one waits while a thread loads LLVM, 40 ms."""
_LOWERING = ("flydsl.ir.context", "flydsl.passes.registry", "flydsl.toolchain.host_launcher")


@cache
def load_lookup() -> None:
    """Import what reads functions and finds their code in the cache; without xDSL, which `import_deferred` is for."""
    with deferred_methods():
        for name in _LOOKUP:
            import_module(name)


def load_toolchain() -> None:
    """Begin to load the toolchain, in a thread of its own, while Python goes on to import."""
    from flydsl.toolchain.select import begin_loading

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
    from flydsl.ir.deferred_definitions import import_deferred

    import_deferred(modules)
