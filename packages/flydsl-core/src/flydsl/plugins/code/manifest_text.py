"""The text of a manifest in cache keys: all that it chooses, and a token of the process for what has no name."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache, partial
from typing import Any

from flydsl.base.startup.pattern import pattern
from flydsl.plugins.manifests import Manifest

_NOT_CODE = frozenset({"name", "distribution", "version", "settings", "conformance", "requested_by"})
"""Fields that stand in the key by themselves, or say nothing of code, as the variable that asks for a runtime."""
_PLAIN = (str, bytes, int, float, bool, type(None))
_ONLY_HERE = r"\+[0-9a-f]{32} <([^>]*)>"
_unnamed: list[tuple[object, str]] = []
"""What has no name, kept so that nothing else takes its place in memory, and the token that stands for it."""


def manifest_text(manifest: Manifest) -> str:
    """Every choice of a manifest: references, passes in their order, dialects, words, alignment."""
    chosen = [attribute.name for attribute in fields(manifest) if attribute.name not in _NOT_CODE]
    return "; ".join(f"{name}={_text(getattr(manifest, name))}" for name in chosen)


def only_here(reason: str) -> str:
    """What makes a key one that no other process has, and why."""
    return f"+{_process_token()} <{reason}>"


def reasons_of(text: str) -> list[str]:
    """The reasons in a text that holds what `only_here` gave; none in one that other processes may have, too."""
    return pattern(_ONLY_HERE).findall(text)


def _text(value: Any) -> str:
    if isinstance(value, Mapping):  # the order of passes is that of the mapping
        return f"{{{', '.join(f'{key}: {_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, frozenset):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_text, value))})"
    if isinstance(value, _PLAIN):
        return repr(value)
    if callable(value):
        return callable_text(value)
    return _token_of(value)


def callable_text(made: Callable[..., Any]) -> str:
    """The qualified name of a function or class, with the arguments that `functools.partial` gives it."""
    if isinstance(made, partial):
        given = [*map(_text, made.args), *(f"{name}={_text(item)}" for name, item in sorted(made.keywords.items()))]
        return f"{callable_text(made.func)}({', '.join(given)})"
    module, name = getattr(made, "__module__", None), getattr(made, "__qualname__", "")
    found: object = sys.modules.get(module) if isinstance(module, str) else None
    for part in name.split("."):  # of `f.<locals>.g` nothing is found
        found = getattr(found, "__dict__", {}).get(part)
    return f"{module}:{name}" if found is made else _token_of(made)


def _token_of(value: object) -> str:
    for known, token in _unnamed:
        if known is value:
            return token
    name = str(getattr(value, "__qualname__", type(value).__qualname__)).replace("<", "").replace(">", "")
    token = only_here(f"nothing is imported as {name!r}, the {len(_unnamed) + 1}. such value")
    _unnamed.append((value, token))
    return token


@cache
def _process_token() -> str:
    return os.urandom(16).hex()
