"""Errors of LLVM's tools as data: the source positions and functions that their texts name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flydsl.base.errors import Diagnostic, ToolchainError

_POSITION = re.compile(r"^(?:\w+: )?(?P<file>[^<\n][^:\n]*):(?P<line>[1-9]\d*):(?P<column>\d+): ", re.MULTILINE)
_SYMBOL = re.compile(r"\bllvm\.\w+\.[\w.]+|(?<=')\w+(?=')")


def toolchain_error(message: str, diagnostics: Iterable[Diagnostic] = ()) -> ToolchainError:
    """The error of a tool that says `message`, with what its diagnostics point to."""
    located = [_located(diagnostic) for diagnostic in diagnostics]
    text = "\n".join([message, *(diagnostic.message for diagnostic in located)])
    return ToolchainError(message, located, symbols=tuple(dict.fromkeys(_SYMBOL.findall(text))))


def _located(diagnostic: Diagnostic) -> Diagnostic:
    """A diagnostic without a position has the one that its message begins with, as those of code generation do."""
    position = _POSITION.search(diagnostic.message) if not diagnostic.file else None
    if position is None:
        return diagnostic
    line, column = int(position["line"]), int(position["column"])
    return Diagnostic(diagnostic.severity, diagnostic.message, position["file"].strip(), line, column)
