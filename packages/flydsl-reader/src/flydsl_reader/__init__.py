"""The native reader of call arguments, which the compiler uses in place of generated stubs where it is installed."""

from __future__ import annotations

from flydsl_reader._reader import Site

__all__ = ["INTERFACE", "Site"]

INTERFACE = 1
"""Version of what `Site` takes; the core uses a reader of its own version only."""
