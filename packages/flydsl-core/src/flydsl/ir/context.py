"""xDSL contexts: the dialects that the parser knows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.ir import Dialect

from flydsl.base.startup.deferred_definitions import import_deferred
from flydsl.ir.fly import Fly
from flydsl.ir.upstream import overlay

_UPSTREAM = {
    "arith": "Arith",
    "builtin": "Builtin",
    "cf": "Cf",
    "func": "Func",
    "gpu": "GPU",
    "llvm": "LLVM",
    "math": "Math",
    "memref": "MemRef",
    "scf": "Scf",
    "ub": "UB",
    "vector": "Vector",
}
"""Dialect -> the name of its object in `xdsl.dialects.<dialect>`."""


def create_context(target_dialects: Sequence[Dialect] = ()) -> Context:
    """A context with Fly, `fly_ktrace`, `fly_host`, the upstream dialects that passes use, and the dialects of targets.

    Each dialect is imported when its first operation or type is looked up.
    """
    context = Context()
    context.register_dialect("fly", _fly)
    context.register_dialect("fly_ktrace", _ktrace)
    context.register_dialect("fly_host", _host)
    for name, attribute in _UPSTREAM.items():
        context.register_dialect(name, _upstream(name, attribute))
    for dialect in target_dialects:
        context.load_dialect(dialect)
    return context


def _fly() -> Dialect:
    return Fly


def _ktrace() -> Dialect:
    from flydsl.ir.ktrace import KTRACE

    return KTRACE


def _host() -> Dialect:
    from flydsl.ir.tensor_map import FLY_HOST

    return FLY_HOST


def _upstream(name: str, attribute: str) -> Callable[[], Dialect]:
    def load() -> Dialect:
        import_deferred([f"xdsl.dialects.{name}"])
        return overlay(getattr(sys.modules[f"xdsl.dialects.{name}"], attribute))

    return load
