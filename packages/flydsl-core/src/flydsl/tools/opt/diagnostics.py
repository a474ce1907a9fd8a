"""Diagnostics of `fly-opt`: printed with their line of source, or compared with what comments expect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from flydsl.base.errors import Diagnostic, FlyDSLError, IRError, ToolchainError

_BETWEEN_PASSES = ("module.mlir", "<mlir>")
"""Names of text that no user has: what the toolchain is given, and what it gives."""
_COMMENT = re.compile(
    r"expected-(?P<kind>error|note|remark|warning)(?P<regex>-re)? *(@(?P<place>[+-]\d+|above|below|unknown))? *"
    r"\{\{(?P<text>.*)\}\}$"
)


def diagnostics_of(error: Exception, file: str, *, own_text: bool = False) -> list[Diagnostic]:
    """What `error` says; `own_text`: the toolchain read the text of `file` itself, so that its places are right."""
    if isinstance(error, IRError) and error.diagnostic is not None:
        return [_placed(error.diagnostic, "")]
    if isinstance(error, ToolchainError) and error.diagnostics:
        return [_placed(found, file if own_text else "") for found in error.diagnostics]
    if isinstance(error, FlyDSLError):
        return [Diagnostic("error", str(error))]
    return [Diagnostic("error", f"internal error: {type(error).__name__}: {error}")]


def _placed(found: Diagnostic, file: str) -> Diagnostic:
    if found.file not in _BETWEEN_PASSES:
        return found
    message = found.message.split("\n    ")[0]  # the toolchain quotes the line, which `render` does too
    return replace(found, message=message, file=file) if file else replace(found, message=message, file="", line=0)


def render(found: Diagnostic, file: str, text: str) -> str:
    """`file:line:column: error: message`, and the line with a caret when it is one of `text`."""
    place = f"{found.file}:{found.line}:{found.column}" if found.line else "<unknown>:0"
    head = f"{place}: {found.severity}: {found.message}"
    lines = text.split("\n")
    if found.file != file or not 0 < found.line <= len(lines):
        return head
    return f"{head}\n{lines[found.line - 1]}\n{' ' * (found.column - 1)}^"


@dataclass(frozen=True, slots=True)
class _Expected:
    """One comment: what is expected on `line` (0: without a place), and where the comment stands."""

    kind: str
    text: str
    is_regex: bool
    line: int
    comment_line: int
    comment_column: int

    def accepts(self, found: Diagnostic) -> bool:
        if found.severity != self.kind or found.line != self.line:
            return False
        return re.search(self._pattern(), found.message) is not None if self.is_regex else self.text in found.message

    def _pattern(self) -> str:
        """Literal text in which `{{...}}` holds regular expressions."""
        parts = re.split(r"\{\{(.*?)\}\}", self.text)
        return "".join(f"({part})" if index % 2 else re.escape(part) for index, part in enumerate(parts))


def compare(found: Sequence[Diagnostic], file: str, text: str) -> list[Diagnostic]:
    """What differs from the expectations in the comments of `text`: empty when all is as expected."""
    expected = _expectations(text)
    problems = []
    for diagnostic in found:
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
    found = []
    for number, match in comments:
        line = _target(match["place"] or "", number, own_lines)
        kind, regex = match["kind"], match["regex"] is not None
        found.append(_Expected(kind, match["text"], regex, line, number, match.start() + 1))
    return found


def _target(place: str, number: int, comments: set[int]) -> int:
    """The line a comment is about; `above` and `below` skip lines with comments of their own."""
    if place == "unknown":
        return 0
    if place in ("above", "below"):
        step = 1 if place == "below" else -1
        number += step
        while number in comments:
            number += step
        return number
    return number + int(place or 0)
