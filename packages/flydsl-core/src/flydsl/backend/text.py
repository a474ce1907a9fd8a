"""Text of modules and types, read back: for devices that get it as their code, and for tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.namespace import lazy_names
from flydsl.ir.context import create_context
from flydsl.ir.parse import parse_module, parse_type

if TYPE_CHECKING:  # loaded when they are asked for
    from flydsl.tools.opt.installed import installed

__all__ = [
    "create_context",
    "installed",
    "parse_module",
    "parse_type",
]

__getattr__ = lazy_names(
    __name__,
    {
        "installed": "flydsl.tools.opt.installed",
    },
)
