"""What `dir` shows of a module that gathers the names of others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import ModuleType


def public_names(namespace: Mapping[str, object], modules: Collection[str] = ()) -> list[str]:
    """The names of a module that users may use: none that is private, and of modules in it those that are named."""
    shown = (name for name, value in namespace.items() if name in modules or not isinstance(value, ModuleType))
    return sorted(name for name in shown if not name.startswith("_"))
