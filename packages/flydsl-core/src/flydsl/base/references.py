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
        if not hasattr(value, part) and hasattr(value, "__path__"):
            import_module(f"{value.__name__}.{part}")  # a submodule nobody imported yet
        value = getattr(value, part)
    return value
