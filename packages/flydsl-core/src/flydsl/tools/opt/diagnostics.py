"""Diagnostics of `fly-opt`: printed with their line of source, or compared with what comments expect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flydsl.base.errors import Diagnostic, FlyDSLError, IRError, ToolchainError

_BETWEEN_PASSES = ("module.mlir", "<mlir>")
"""Names of text that no user has: the input and the output of the toolchain."""
_COMMENT = re.compile(
    r"expected-(?P<kind>error|note|remark|warning)(?P<regex>-re)? *(@(?P<line>[+-]\d+|above|below|unknown))? *"
    r"\{\{(?P<text>.*)\}\}$"
)


def diagnostics_of(error: Exception, file: str, *, own_text: bool = False) -> list[Diagnostic]:
    """What `error` says; `own_text`: the toolchain read the text of `file` itself, so that its lines are right."""
    if isinstance(error, IRError) and error.diagnostic is not None:
        return [_located(error.diagnostic, "")]
    if isinstance(error, ToolchainError) and error.diagnostics:
        return [_located(diagnostic, file if own_text else "") for diagnostic in error.diagnostics]
    if isinstance(error, FlyDSLError):
        return [Diagnostic("error", str(error))]
    return [Diagnostic("error", f"internal error: {type(error).__name__}: {error}")]


def _located(diagnostic: Diagnostic, file: str) -> Diagnostic:
    if diagnostic.file not in _BETWEEN_PASSES:
        return diagnostic
    message = diagnostic.message.split("\n    ")[0]  # the toolchain quotes the line, which `render` does too
    return replace(diagnostic, message=message, file=file, line=diagnostic.line if file else 0)


def render(diagnostic: Diagnostic, file: str, text: str) -> str:
    """`file:line:column: error: message`, and the line with a caret when it is one of `text`."""
    line = diagnostic.line
    location = f"{diagnostic.file}:{line}:{diagnostic.column}" if line else "<unknown>:0"
    head = f"{location}: {diagnostic.severity}: {diagnostic.message}"
    lines = text.split("\n")
    if diagnostic.file != file or not 0 < line <= len(lines):
        return head
    return f"{head}\n{lines[line - 1]}\n{' ' * (diagnostic.column - 1)}^"


@dataclass(frozen=True, slots=True)
class _Expected:
    """One comment: what is expected on `line` (0: without a line), and the position of the comment."""

    kind: str
    text: str
    is_regex: bool
    line: int
    comment_line: int
    comment_column: int

    def accepts(self, actual: Diagnostic) -> bool:
        if actual.severity != self.kind or actual.line != self.line:
            return False
        return re.search(self._pattern(), actual.message) is not None if self.is_regex else self.text in actual.message

    def _pattern(self) -> str:
        """Literal text in which `{{...}}` encloses regular expressions."""
        parts = re.split(r"\{\{(.*?)\}\}", self.text)
        return "".join(f"({part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))


def compare(actual: Sequence[Diagnostic], file: str, text: str) -> list[Diagnostic]:
    """What differs from the expectations in the comments of `text`: empty when all is as expected."""
    expected = _expectations(text)
    problems = []
    for diagnostic in actual:
        match = next((e for e in expected if e.accepts(diagnostic)), None)
        if match is not None:
            expected.remove(match)
        else:
            message = f"unexpected {diagnostic.severity}: {diagnostic.message}"
            problems.append(replace(diagnostic, severity="error", message=message))
    for missed in expected:
        message = f'expected {missed.kind} "{missed.text}" was not produced'
        problems.append(Diagnostic("error", message, file, missed.comment_line, missed.comment_column))
    return problems


def _expectations(text: str) -> list[_Expected]:
    lines = text.split("\n")
    comments = [(number, match) for number, line in enumerate(lines, 1) if (match := _COMMENT.search(line.rstrip()))]
    own_lines = {number for number, _ in comments}
    expected = []
    for number, match in comments:
        line = _target(match["line"] or "", number, own_lines)
        kind, regex = match["kind"], match["regex"] is not None
        expected.append(_Expected(kind, match["text"], regex, line, number, match.start() + 1))
    return expected


def _target(line: str, number: int, comments: set[int]) -> int:
    """The line a comment is about; `above` and `below` skip lines with comments of their own."""
    if line == "unknown":
        return 0
    if line in ("above", "below"):
        step = 1 if line == "below" else -1
        number += step
        while number in comments:
            number += step
        return number
    return number + int(line or 0)
