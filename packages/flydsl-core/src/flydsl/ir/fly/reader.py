"""Reader of type parameters, past MLIR's tokens, which do not fit (`1E0`, `S<3,3,3>`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from xdsl.ir import Attribute
from xdsl.parser import AttrParser

from flydsl.base.errors import LayoutError

T = TypeVar("T")

_SPACE = re.compile(r"(?:\s|//[^\n]*)*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_ANGLE = re.compile(r"[<>]")
_INTEGER = re.compile(r"-?[0-9]+")
_COLUMN = re.compile(r" at column (\d+)")
"""Where the layout parser says an error is, counted in the whole source."""


class Reader:
    """A position in the parser's source; `token` is where the last word or integer began.

    `finish` hands the position back to the parser.
    """

    __slots__ = ("_parser", "position", "source", "token")

    def __init__(self, parser: AttrParser) -> None:
        self._parser = parser
        self.source = parser.lexer.input.content
        self.position = self.token = parser.pos

    def comes(self, text: str) -> bool:
        """Whether `text` comes next."""
        return self.source.startswith(text, self._skip())

    def accept(self, text: str) -> bool:
        """Step over `text` when it comes next."""
        start = self._skip()
        if not self.source.startswith(text, start):
            return False
        self.position = start + len(text)
        return True

    def expect(self, text: str) -> None:
        """Step over `text`, which must come next."""
        if not self.accept(text):
            self.error(f"expected {text!r}, found {self._next()!r}")

    def word(self, what: str = "a word") -> str:
        """A bare identifier."""
        return self._match(_WORD, what)

    def integer(self, what: str = "an integer") -> int:
        """A decimal integer."""
        return int(self._match(_INTEGER, what))

    def string(self) -> str:
        """A quoted string without escapes."""
        self.expect('"')
        end = self.source.find('"', self.position)
        if end < 0:
            self.error("unterminated string")
        text, self.position = self.source[self.position : end], end + 1
        return text

    def boolean(self) -> bool:
        """`true` or `false`."""
        word = self.word("'true' or 'false'")
        if word not in ("true", "false"):
            self.error(f"expected 'true' or 'false', found {word!r}", self.token)
        return word == "true"

    def balanced(self) -> str:
        """The text up to the `>` that closes what is around it."""
        start, depth = self.position, 1
        for match in _ANGLE.finditer(self.source, start):
            depth += 1 if match.group() == "<" else -1
            if not depth:
                self.position = match.start()
                return self.source[start : self.position].strip()
        self.error("expected '>', found end of input", len(self.source))

    def attribute(self) -> Attribute:
        """A type or attribute in MLIR's syntax."""
        return self.parse(AttrParser.parse_attribute)

    def parse(self, read: Callable[[AttrParser], T]) -> T:
        """What a function on the parser itself reads here."""
        self._parser._resume_from(self.position)
        value = read(self._parser)
        self.position = self._parser.pos
        return value

    def payload(self, parse_at: Callable[[str, int], tuple[T, int]]) -> T:
        """A value of the layout grammar, read by one of the `parse_*_at` functions of `flydsl.layout`."""
        start = self._skip()
        try:
            value, self.position = parse_at(self.source, start)
        except LayoutError as error:
            column = _COLUMN.search(error.condition) if error.op == "parse" else None
            if column is None:
                self.error(str(error), start)
            self.error(error.condition.replace(column.group(), ""), int(column.group(1)) - 1)
        except RecursionError:
            self.error("nested too deeply", start)
        return value

    def finish(self) -> None:
        """Let the parser go on from here."""
        self._parser._resume_from(self.position)

    def error(self, message: str, position: int | None = None) -> NoReturn:
        """Raise the parser's error, at the current position unless another is given."""
        self._parser.raise_error(message, min(self._skip() if position is None else position, len(self.source)))

    def _skip(self) -> int:
        match = _SPACE.match(self.source, self.position)
        return match.end() if match else self.position

    def _next(self) -> str:
        start = self._skip()
        return self.source[start : start + 12].split("\n")[0] or "end of input"

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        match = pattern.match(self.source, self._skip())
        if match is None:
            self.error(f"expected {what}, found {self._next()!r}")
        self.token, self.position = match.span()
        return match.group()
