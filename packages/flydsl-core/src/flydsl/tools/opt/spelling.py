"""Fly operations in their own syntax and in generic form, within text that MLIR reads or prints.

MLIR prints and parses everything else of a module; of the Fly operations it only knows the generic form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.ir import Attribute, Dialect
from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from flydsl.ir.fly import Fly
from flydsl.ir.fly.base import text_of
from flydsl.ir.fly.op import ConstantOp, FlyOp
from flydsl.ir.ktrace import KTRACE

_GENERIC_LINE = re.compile(
    r'(?P<head> *(?:%[^"=]* = )?)"(?P<name>[\w.]+)"\((?P<operands>[^()]*)\)(?P<rest>(?: <?\{.*\}>?)*? : .*)'
)
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|(?<![\w.$!#%@^-])[a-z_]\w*\.[a-z_][\w.]*')
_OPERANDS = re.compile(r"\s*(?:<(?P<number>\d+)>\s*)?\((?P<operands>[^()]*)\)\s*")


@dataclass(frozen=True, slots=True)
class _Attributes:
    """The entries of an attribute dictionary, as text."""

    entries: tuple[tuple[str, str], ...]

    def take(self, name: str) -> tuple[str | None, _Attributes]:
        """The value of one entry, and the others."""
        entry = next((value for key, value in self.entries if key == name), None)
        return entry, _Attributes(tuple(item for item in self.entries if item[0] != name))

    def __str__(self) -> str:
        entries = (f"{key} = {value}" if value else key for key, value in self.entries)
        return f" {{{', '.join(entries)}}}" if self.entries else ""


class Spelling:
    """The two spellings of the operations of Fly and of target dialects that follow its syntax."""

    def __init__(self, dialects: Iterable[Dialect], context: Context) -> None:
        self._context = context
        self._operations: Mapping[str, type[FlyOp]] = {
            op.name: op for dialect in (Fly, KTRACE, *dialects) for op in dialect.operations if issubclass(op, FlyOp)
        }

    def custom(self, text: str) -> str:
        """MLIR's print of a module, with each Fly operation in its own syntax."""
        return "\n".join(map(self._custom_line, text.split("\n")))

    def generic(self, text: str) -> str:
        """Text as people write it, with each Fly operation in generic form; lines stay lines."""
        parts, end = [], 0
        for token in _TOKEN.finditer(text):
            op = self._operations.get(token.group())
            if op is None or token.start() < end:
                continue
            generic = self._generic_head(op, text, token.end())
            if generic is not None:
                parts += [text[end : token.start()], generic[0]]
                end = generic[1]
        return "".join([*parts, text[end:]])

    def _custom_line(self, line: str) -> str:
        match = _GENERIC_LINE.fullmatch(line)
        op = self._operations.get(match["name"]) if match else None
        if match is None or op is None:
            return line
        attributes, types = _attributes(match["rest"])
        head = f"{match['head']}{op.name}"
        if issubclass(op, ConstantOp):
            return f"{head}{attributes}{types.replace(' : () -> ', ' : ', 1)}"
        operands = [match["operands"]] if match["operands"] else []
        if op.in_angles:
            number, attributes = attributes.take(op.in_angles)
            head += f"<{number.partition(' ')[0]}>" if number else ""
        if op.leading:
            value, attributes = attributes.take(op.leading[0])
            operands = [op.leading[2](self._attribute(value)), *operands] if value else operands
        return f"{head}({', '.join(operands)}){attributes}{types}"

    def _generic_head(self, op: type[FlyOp], text: str, start: int) -> tuple[str, int] | None:
        """The operation from its name to its types, and where these begin; None for what is not its syntax."""
        match = _OPERANDS.match(text, start)
        constant = issubclass(op, ConstantOp)
        if match is None and not constant:
            return None
        attributes, types = _attributes(text[match.end() if match else start :])
        if not types.lstrip().startswith(":"):
            return None
        end = len(text) - len(types)
        breaks = "\n" * text.count("\n", start, end)
        if constant:
            after = end + types.index(":") + 1
            return f'"{op.name}"(){attributes}{breaks} : () ->', after
        assert match is not None
        operands = [operand.strip() for operand in match["operands"].split(",") if operand.strip()]
        entries = list(attributes.entries)
        if op.leading and operands and not operands[0].startswith("%"):
            entries.append((op.leading[0], self._leading(op, operands.pop(0))))
        if match["number"]:
            entries.append((op.in_angles, f"{match['number']} : i32"))
        return f'"{op.name}"({", ".join(operands)}){_Attributes(tuple(entries))}{breaks} ', end

    def _attribute(self, text: str) -> Attribute:
        return Parser(self._context, text).parse_attribute()

    def _leading(self, op: type[FlyOp], text: str) -> str:
        assert op.leading is not None
        try:
            return text_of(op.leading[1](Parser(self._context, text)))
        except ParseError:
            return f'"{text}"'


def _attributes(text: str) -> tuple[_Attributes, str]:
    """The dictionaries (`<{...}>` and `{...}`) that `text` begins with, together, and what comes after them."""
    entries: list[tuple[str, str]] = []
    while match := re.match(r"\s*(<?)\{", text):
        close = _closing(text, match.end() - 1)
        if close < 0:
            break
        for entry in _split(text[match.end() : close]):
            key, _, value = entry.partition("=")
            entries.append((key.strip(), value.strip()))
        text = text[close + 1 :].removeprefix(">" if match[1] else "")
    return _Attributes(tuple(entries)), text


def _marks(text: str, start: int = 0) -> Iterator[tuple[int, str, int]]:
    """Brackets and commas outside of strings: position, character and the bracket depth after it."""
    depth = 0
    for match in re.finditer(r'"(?:[^"\\\n]|\\.)*"|->|[][(){}<>,]', text[start:]):
        char = match.group()
        if len(char) == 1:
            depth += (char in "([{<") - (char in ")]}>")
            yield start + match.start(), char, depth


def _closing(text: str, start: int) -> int:
    """Where the bracket at `start` closes, or -1."""
    return next((position for position, _, depth in _marks(text, start) if depth == 0), -1)


def _split(text: str) -> list[str]:
    """The parts between commas outside of brackets."""
    cuts = [position for position, char, depth in _marks(text) if char == "," and depth == 0]
    parts = [text[a:b] for a, b in zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(text)], strict=True)]
    return [part.strip() for part in parts if part.strip()]
