"""Pass pipeline text (`gpu.module(cse,convert-x{chip=gfx942})`), parsed and printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from flydsl.base.errors import SettingError

_MAX_DEPTH = 64


@dataclass(frozen=True, slots=True)
class PassSpec:
    """One pass by name with its options, as text."""

    name: str
    options: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def __str__(self) -> str:
        if not self.options:
            return self.name
        pairs = (f"{key}={value}" if value else key for key, value in self.options.items())
        return f"{self.name}{{{' '.join(pairs)}}}"


@dataclass(frozen=True, slots=True)
class Nested:
    """Passes that run on each operation of one kind (`gpu.module(...)`)."""

    anchor: str
    items: tuple[PassSpec | Nested, ...]

    def __str__(self) -> str:
        return f"{self.anchor}({to_text(self.items)})"


def to_text(items: Iterable[PassSpec | Nested]) -> str:
    """The text `parse` reads back to `items`."""
    return ",".join(map(str, items))


def parse(text: str) -> tuple[PassSpec | Nested, ...]:
    """The items of a pipeline; an outermost `builtin.module(...)` is unwrapped. `SettingError` names the bad place."""
    items, end = _parse_items(text, 0, 0)
    if end != len(text):
        raise _bad(text, end, "unbalanced ')'")
    if len(items) == 1 and isinstance(items[0], Nested) and items[0].anchor == "builtin.module":
        return items[0].items
    return items


def _parse_items(text: str, pos: int, depth: int) -> tuple[tuple[PassSpec | Nested, ...], int]:
    items: list[PassSpec | Nested] = []
    pos = _skip(text, pos)
    while pos < len(text) and text[pos] != ")":
        item, pos = _parse_item(text, pos, depth)
        items.append(item)
        pos = _skip(text, pos)
        if pos < len(text) and text[pos] == ",":
            pos = _skip(text, pos + 1)
        elif pos < len(text) and text[pos] != ")":
            raise _bad(text, pos, "expected ','")
    return tuple(items), pos


def _parse_item(text: str, pos: int, depth: int) -> tuple[PassSpec | Nested, int]:
    end = pos
    while end < len(text) and (text[end].isalnum() or text[end] in "-_.:"):
        end += 1
    name = text[pos:end]
    if not name:
        raise _bad(text, pos, "expected a pass name")
    if text[end : end + 1] == "(":
        if depth == _MAX_DEPTH:
            raise _bad(text, end, f"at most {_MAX_DEPTH} levels are allowed")
        items, close = _parse_items(text, end + 1, depth + 1)
        if text[close : close + 1] != ")":
            raise _bad(text, end, "this '(' is never closed")
        return Nested(name, items), close + 1
    if text[end : end + 1] == "{":
        close = _closing_brace(text, end)
        return PassSpec(name, MappingProxyType(_parse_options(text[end + 1 : close]))), close + 1
    return PassSpec(name), end


def _parse_options(text: str) -> dict[str, str]:
    """Options are separated by spaces outside of quotes and braces."""
    options: dict[str, str] = {}
    start = depth = 0
    quote = ""
    for pos, char in enumerate(text + " "):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
        elif char.isspace() and not depth:
            if word := text[start:pos].strip():
                key, _, value = word.partition("=")
                options[key] = value
            start = pos + 1
    return options


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for pos in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[pos], 0)
        if not depth:
            return pos
    raise _bad(text, start, "this '{' is never closed")


def _skip(text: str, pos: int) -> int:
    while pos < len(text) and text[pos].isspace():
        pos += 1
    return pos


def _bad(text: str, pos: int, why: str) -> SettingError:
    return SettingError(f"pass pipeline {text!r}: {why} at column {pos + 1}")
