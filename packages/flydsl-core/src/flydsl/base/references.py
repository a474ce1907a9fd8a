"""References of the form 'module:attribute', imported only when they are resolved."""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_REFERENCE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


def is_reference(value: object) -> bool:
    """Whether `value` is spelt 'module:attribute'."""
    return isinstance(value, str) and bool(_REFERENCE.fullmatch(value))


def resolve_reference(reference: str) -> Any:
    """Import the module and read the attribute: dotted for nested ones, submodules count.

    ImportError and AttributeError pass through.
    """
    if not is_reference(reference):
        raise ValueError(f"{reference!r} is not a 'module:attribute' reference")
    module, _, path = reference.partition(":")
    value: Any = import_module(module)
    for part in path.split("."):
        value = _member(value, part)
    return value


def _member(value: Any, name: str) -> Any:
    """An attribute; of a package a submodule too, which is imported before the package's `__getattr__` is asked."""
    if name in getattr(value, "__dict__", ()) or not hasattr(value, "__path__"):
        return getattr(value, name)
    submodule = f"{value.__name__}.{name}"
    try:
        return import_module(submodule)
    except ModuleNotFoundError as error:
        if error.name != submodule or not hasattr(value, name):
            raise
    return getattr(value, name)
