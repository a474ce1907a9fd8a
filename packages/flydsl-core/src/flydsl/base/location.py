"""Source spans in, lines with a caret out: how every error shows the user's code."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

__all__ = ["Location"]


@dataclass(frozen=True, slots=True)
class Location:
    """A span of a user's file: 1-based line, 0-based start and end column (end exclusive, 0 when unknown)."""

    file: str
    line: int
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column + 1}"

    def caret(self) -> str:
        """The source line with a caret under the span, or an empty string when the source cannot be read."""
        text = linecache.getline(self.file, self.line).rstrip("\n")
        if not text.strip():
            return ""
        width = max(1, min(self.end_column, len(text)) - self.column)
        return f"    {text}\n    {' ' * self.column}{'^' * width}"

    def describe(self, message: str) -> str:
        """`message` followed by where it points."""
        caret = self.caret()
        return f"{message}\n  --> {self}" + (f"\n{caret}" if caret else "")
