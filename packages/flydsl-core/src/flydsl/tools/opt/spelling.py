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
from flydsl.ir.fly.op import FlyOp
from flydsl.ir.fly.syntax import SEGMENTS, Form
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
        if op.form is not Form.CALL:
            types = types.replace(" : () -> ", " : ", 1)
        if op.form is Form.CONSTANT:
            return f"{head}{attributes}{types}"
        if op.in_angles:
            number, attributes = attributes.take(op.in_angles)
            head += f"<{number.partition(' ')[0]}>" if number else ""
        inside = _split(match["operands"])
        tail = f" {op.behind.word} = {inside.pop()}" if op.behind and len(inside) == op.behind.count else ""
        if op.quoted:
            value, attributes = attributes.take(op.quoted)
            inside[1:1] = [value] if value else []
        if op.leading:
            value, attributes = attributes.take(op.leading[0])
            inside[:0] = [op.leading[2](self._attribute(value))] if value else []
        if op.trailing:
            value, attributes = attributes.take(op.trailing)
            inside += [f"{op.trailing} = {value.partition(' ')[0]}"] if value else []
        return f"{head}({', '.join(inside)}){tail}{attributes}{types}"

    def _generic_head(self, op: type[FlyOp], text: str, start: int) -> tuple[str, int] | None:
        """The operation from its name to its types, and where these begin; None for what is not its syntax."""
        match = None if op.form is Form.CONSTANT else _OPERANDS.match(text, start)
        if match is None and op.form is not Form.CONSTANT:
            return None
        begin, start = start, match.end() if match else start
        last = re.compile(rf"{op.behind.word}\s*=\s*(%\S+)\s*").match(text, start) if op.behind else None
        attributes, types = _attributes(text[last.end() if last else start :])
        if not types.lstrip().startswith(":"):
            return None
        end = len(text) - len(types)
        breaks = "\n" * text.count("\n", begin, end)
        colon = end + types.index(":") + 1
        if match is None or (op.form is Form.SOURCE and not text[colon:].lstrip().startswith("(")):
            return f'"{op.name}"(){attributes}{breaks} : () ->', colon
        parts, attributes = self._parts(op, match, attributes)
        if last:
            parts.append(last[1])
        elif op.behind:
            attributes = attributes.take(SEGMENTS)[1]
            if len(parts) == op.behind.count:
                place = op.behind.older_place
                types, end = _last(text, colon, place)
                return f'"{op.name}"({", ".join(_moved(parts, place))}){attributes}{breaks} : {types}', end
        return f'"{op.name}"({", ".join(parts)}){attributes}{breaks} ', end

    def _parts(self, op: type[FlyOp], match: re.Match[str], attributes: _Attributes) -> tuple[list[str], _Attributes]:
        """The operands in the parentheses, and the attributes with those among them."""
        parts, entries = _split(match["operands"]), list(attributes.entries)
        if op.leading and parts and not parts[0].startswith("%"):
            entries.append((op.leading[0], self._leading(op, parts.pop(0))))
        if match["number"]:
            entries.append((op.in_angles, f"{match['number']} : i32"))
        if op.quoted and len(parts) > 1 and parts[1].startswith('"'):
            entries.append((op.quoted, parts.pop(1)))
        if op.trailing and parts and re.match(rf"{op.trailing}\s*=", parts[-1]):
            entries.append((op.trailing, f"{parts.pop().partition('=')[2].strip()} : i32"))
        return parts, _Attributes(tuple(entries))

    def _attribute(self, text: str) -> Attribute:
        return Parser(self._context, text).parse_attribute()

    def _leading(self, op: type[FlyOp], text: str) -> str:
        assert op.leading is not None
        try:
            return text_of(op.leading[1](Parser(self._context, text)))
        except ParseError:
            return f'"{text}"'


def _last(text: str, start: int, place: int) -> tuple[str, int]:
    """The list of types that comes next, the one at `place` moved to its end, and where the list ends."""
    opened = text.index("(", start)
    end = _closing(text, opened) + 1
    return f"({', '.join(_moved(_split(text[opened + 1 : end - 1]), place))})", end


def _moved(parts: list[str], place: int) -> list[str]:
    """The parts with the one at `place` last."""
    return [*parts[:place], *parts[place + 1 :], *parts[place : place + 1]]


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
