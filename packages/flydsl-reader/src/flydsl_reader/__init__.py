"""The native reader of call arguments, which the compiler uses in place of generated stubs where it is installed."""

from __future__ import annotations

from flydsl_reader._reader import Calls, Site

__all__ = ["INTERFACE", "Calls", "Site"]

INTERFACE = 4
"""Version of what `Site` and `Calls` take; the core uses a reader of its own version only."""
