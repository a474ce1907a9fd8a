"""Regular expressions that are compiled when they are first used: each takes 0.1 ms, and most starts use none."""

from __future__ import annotations

import re
from functools import cache


@cache
def pattern(text: str) -> re.Pattern[str]:
    """The compiled expression."""
    return re.compile(text)
