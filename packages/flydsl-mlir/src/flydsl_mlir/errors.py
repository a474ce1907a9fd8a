"""What the native module raises: one exception that carries the diagnostics of MLIR, LLVM or lld."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Diagnostic(NamedTuple):
    """One message of a tool; line and column are 1-based, 0 when unknown."""

    severity: str
    message: str
    file: str
    line: int
    column: int


class MlirError(RuntimeError):
    """The toolchain rejected its input; `diagnostics` holds what it said."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()) -> None:
        self.message, self.diagnostics = message, tuple(diagnostics)
        super().__init__("\n".join([message, *(f"  {d.severity}: {d.message}" for d in self.diagnostics)]))


class PassError(MlirError):
    """A pass of the user's, its plugin, or what was asked of it is to blame: a bad name, a crash, invalid code."""
