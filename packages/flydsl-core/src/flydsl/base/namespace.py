"""Modules that gather the names of others: what `dir` shows, and names that are loaded when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any


def public_names(namespace: Mapping[str, object], modules: Collection[str] = ()) -> list[str]:
    """The names of a module that users may use: none that is private, and of modules in it those that are named."""
    shown = (name for name, value in namespace.items() if name in modules or not isinstance(value, ModuleType))
    return sorted(name for name in shown if not name.startswith("_"))


def lazy_names(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of `module`: each name of `homes` is imported from its module there when it is first asked for.

    AttributeError for other names.
    """

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home = import_module(homes[name])
        value = getattr(home, name) if hasattr(home, name) else import_module(f"{homes[name]}.{name}")
        setattr(sys.modules[module], name, value)
        return value

    return load
