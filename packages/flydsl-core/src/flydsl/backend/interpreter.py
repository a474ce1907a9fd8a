"""The core's interpreter of modules: a device that runs them without a compiler of its own."""

from __future__ import annotations

from flydsl.ir.interpret import Address, Machine, Memory

__all__ = [
    "Address",
    "Machine",
    "Memory",
]
