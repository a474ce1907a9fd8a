"""Errors of LLVM's tools as data: the places and functions that their texts name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flydsl.base.errors import Diagnostic, ToolchainError

_PLACE = re.compile(r"^(?:\w+: )?(?P<file>[^<\n][^:\n]*):(?P<line>[1-9]\d*):(?P<column>\d+): ", re.MULTILINE)
_SYMBOL = re.compile(r"\bllvm\.\w+\.[\w.]+|(?<=')\w+(?=')")


def toolchain_error(message: str, diagnostics: Iterable[Diagnostic] = ()) -> ToolchainError:
    """The error of a tool that says `message`, with what its diagnostics point to."""
    placed = [_placed(diagnostic) for diagnostic in diagnostics]
    text = "\n".join([message, *(diagnostic.message for diagnostic in placed)])
    return ToolchainError(message, placed, symbols=tuple(dict.fromkeys(_SYMBOL.findall(text))))


def _placed(diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic without a place has the one that its message begins with, as those of code generation do."""
    place = _PLACE.search(diagnostic.message) if not diagnostic.file else None
    if place is None:
        return diagnostic
    line, column = int(place["line"]), int(place["column"])
    return Diagnostic(diagnostic.severity, diagnostic.message, place["file"].strip(), line, column)
