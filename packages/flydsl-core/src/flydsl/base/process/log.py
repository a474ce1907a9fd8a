"""Loggers at the level that FLYDSL_DEBUG_LOG_LEVEL sets."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

from flydsl.base import settings

if TYPE_CHECKING:
    import logging


def get_logger(name: str) -> logging.Logger:
    """The logger `name` (a module under `flydsl`); call it where something is said, not at import."""
    _root()
    import logging

    return logging.getLogger(name)


def debug(name: str, message: str, *args: object) -> None:
    """Log for who listens: a process that never imported `logging` and sets no level is not made to load it (3 ms)."""
    if "logging" in sys.modules or settings.debug.is_set("log_level"):
        get_logger(name).debug(message, *args)


@cache
def _root() -> None:
    import logging

    root = logging.getLogger("flydsl")
    if root.level == logging.NOTSET:  # an application's own choice stays
        root.setLevel(settings.debug.log_level)
    if settings.debug.is_set("log_level") and not logging.getLogger().handlers and not root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        root.addHandler(handler)
