"""The target namespaces of `fx` that plugins provide: their modules, and their folders for the import statement.

The package of a backend that declares `flydsl.expr:acme` has a folder `fx`, without an `__init__.py`, whose packages
and modules are submodules of `flydsl.expr`: `flydsl_acme/fx/acme.py` is `flydsl.expr.acme`. No finder is installed for
them: `flydsl.expr.__path__` continues with these folders after the core's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from types import ModuleType

from flydsl.base.location import mark_as_library

_FOLDER = "fx"
_LOOKED_UP: ContextVar[str] = ContextVar("flydsl_target_name", default="")
"""The name being looked up: a plugin that declares `flydsl.expr:name` without the module looks it up again."""


class SearchPath(list[str]):
    """The `__path__` of `flydsl.expr`: the core's folder, then those of plugins, discovered only on demand."""

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        for folder in _plugin_folders():
            mark_as_library(os.path.join(folder, "__init__.py"))
            yield folder


def target_module(name: str) -> ModuleType:
    """The module that plugins provide as `fx.<name>`, that of the active backend first; AttributeError without one."""
    from flydsl.plugins.active.selection import expr_namespace  # plugins load on first use

    if name == _LOOKED_UP.get():
        raise AttributeError(f"no folder `fx` of a plugin has the module flydsl.expr.{name} that one declares")
    token = _LOOKED_UP.set(name)
    try:
        module: ModuleType = expr_namespace(name)
    finally:
        _LOOKED_UP.reset(token)
    if module.__file__:
        mark_as_library(module.__file__)
    return module


def _plugin_folders() -> Iterator[str]:
    from flydsl.plugins.manifests import factory_module  # as above
    from flydsl.plugins.registry import registry

    for backend in registry.tables.backends.values():
        if any(reference.startswith("flydsl.expr:") for reference in backend.expr_namespaces.values()):
            for folder in _package_folders(factory_module(backend).rpartition(".")[0]):
                path = os.path.join(folder, _FOLDER)
                if os.path.isdir(path):
                    yield path


def _package_folders(package: str) -> Sequence[str]:
    from importlib.util import find_spec  # as above

    spec = find_spec(package) if package else None
    return () if spec is None else spec.submodule_search_locations or ()
