"""Attributes that objects of other versions have, by class and name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any


def _function(decorated: Any) -> Any:
    return decorated.__wrapped__


ATTRIBUTES: Mapping[tuple[str, str], Callable[[Any], Any]] = MappingProxyType(
    {
        ("flydsl.compiler.JitFunction", "func"): _function,
        ("flydsl.compiler.JitFunction", "_original_func"): _function,
        ("flydsl.compiler.KernelFunction", "_original_func"): _function,
    }
)
