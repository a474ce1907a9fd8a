"""Small things for users: `env`, the settings as the environment gives them, and `log()`, the project's logger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flydsl.base.other_versions import SearchPath
from flydsl.base.process.log import get_logger
from flydsl.utils import env

if TYPE_CHECKING:
    import logging

__all__ = ["env", "log"]
__path__ = SearchPath(__path__, __name__)


def log() -> logging.Logger:
    """The logger of the project, at the level that FLYDSL_DEBUG_LOG_LEVEL sets."""
    return get_logger("flydsl")
