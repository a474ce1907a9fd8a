"""The modules that a compilation needs and a process that only runs cached code does not, imported when one begins."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_FRONTEND = (
    *("flydsl.frontend.rewrite", "flydsl.frontend.trace", "flydsl.expr.values.emitter"),
    *("flydsl.compiler.write_analysis", "flydsl.ir.emit"),
)
_LOWERING = ("flydsl.ir.context", "flydsl.passes.registry", "flydsl.toolchain.host_launcher")


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
