"""What this library tells on a process's error stream, which may be closed, full, or not there at all.

A program without a console, as under `pythonw` or a daemon, has None for `sys.stderr`; nothing that we say there is
worth an error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

_WIDTH = 80


def tell(text: str) -> None:
    """Write text to the error stream, if there is one that takes it."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # a closed one raises ValueError
            sys.stderr.write(text)
            sys.stderr.flush()


def is_terminal() -> bool:
    """Whether somebody sees the error stream."""
    try:
        return sys.stderr is not None and sys.stderr.isatty()
    except (OSError, ValueError):
        return False


def columns() -> int:
    """The width of the terminal; 80 where there is none."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH
    except (OSError, ValueError, AttributeError):
        return _WIDTH
