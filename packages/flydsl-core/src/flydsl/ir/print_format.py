"""The format of a print: text and the fields `{}` and `{:8.3f}`; `{{` and `}}` are braces."""

from __future__ import annotations

from typing import NamedTuple

from flydsl.base.errors import IRError
from flydsl.base.startup.pattern import pattern

_PART = r"\{\{|\}\}|\{([^{}]*)\}|[{}]"
_FIELD = r"(?::([-+ #0]*\d*(?:\.\d+)?)([a-zA-Z]?))?"


class Field(NamedTuple):
    """Where a value stands: C's flags, width and digits, and its letter; each may be empty."""

    flags: str
    letter: str

    def __str__(self) -> str:
        return f"{{:{self.flags}{self.letter}}}" if self.flags or self.letter else "{}"


def parse_format(text: str, count: int) -> list[str | Field]:
    """The parts of a format of `count` values; IRError for a lone brace, an unknown field or another number of them."""
    parts: list[str | Field] = []
    start = 0
    for match in pattern(_PART).finditer(text):
        parts.append(text[start : match.start()])
        start = match.end()
        parts.append(_brace(match.group(), text) if match.group(1) is None else _field(match.group(1)))
    parts.append(text[start:])
    fields = sum(isinstance(part, Field) for part in parts)
    if fields != count:
        raise IRError(f"the format {text!r} has {fields} places for {count} values")
    return parts


def escaped(text: str) -> str:
    """A format that prints `text`."""
    return text.replace("{", "{{").replace("}", "}}")


def _brace(written: str, text: str) -> str:
    if len(written) == 1:
        raise IRError(f"the format {text!r} has a lone {written!r}; write it twice for a brace")
    return written[0]


def _field(content: str) -> Field:
    match = pattern(_FIELD).fullmatch(content)
    if match is None:
        raise IRError(f"printf knows no place {{{content}}}; write {{}}, or C's width, digits and letter as {{:8.3f}}")
    return Field(match[1] or "", match[2] or "")
