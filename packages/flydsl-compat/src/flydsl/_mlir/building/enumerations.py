"""The enumerations of MLIR's dialects, as `llvm.AtomicOrdering.monotonic`, and their attributes.

`enumerations.tsv` is generated from MLIR's definitions (`scripts/generate_mlir_operations.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import Attribute

_TABLE = Path(__file__).parents[1] / "enumerations.tsv"
_ALIASES = {"llvm": {"FastMathFlags": "FastmathFlags"}}


@dataclass(frozen=True, slots=True)
class Enumeration:
    """An enumeration: `form` is an integer type, or the attribute's text with `{}` for its cases."""

    name: str
    form: str
    members: type[IntEnum | IntFlag]
    texts: Mapping[int, str]

    def attribute(self, value: object) -> Attribute:
        """The attribute of a case: a member, its number, or its name in any case of letters."""
        number = self._number(value)
        if not self.form.startswith("#"):
            from xdsl.dialects.builtin import IntegerAttr

            return IntegerAttr(number, int(self.form[1:]))
        return _parsed(self.form.format(self._text(number)))

    def _number(self, value: object) -> int:
        if isinstance(value, str):
            names = {text: number for number, text in self.texts.items()}
            names |= {name: member.value for name, member in self.members.__members__.items()}
            words = [names.get(word, names.get(word.lower())) for word in value.replace("|", ",").split(",")]
            numbers = [number for number in words if number is not None]
            if len(numbers) == len(words):
                return sum(set(numbers))
        elif isinstance(value, int) and (value in self.texts or issubclass(self.members, IntFlag)):
            return int(value)
        names_known = ", ".join(self.members.__members__)
        raise FrontendError(f"{self.name} has {names_known}; found {value!r}")

    def _text(self, number: int) -> str:
        if number in self.texts:
            return self.texts[number]
        return ",".join(text for case, text in self.texts.items() if case & number == case and case.bit_count() == 1)


@cache
def _parsed(text: str) -> Attribute:
    from flydsl.backend.text import parse_type

    return parse_type(text)


@cache
def enumerations(dialect: str) -> Mapping[str, Enumeration]:
    """Those of a dialect by their names."""
    rows = [row.split("\t") for row in _TABLE.read_text().splitlines()[1:]]
    found = {name.partition(".")[2]: _made(*rest) for name, *rest in _of(dialect, rows)}
    found |= {alias: found[name] for alias, name in _ALIASES.get(dialect, {}).items()}
    return MappingProxyType(found)


def _of(dialect: str, rows: list[list[str]]) -> list[list[str]]:
    return [[row[0], row[0], *row[1:]] for row in rows if row[0].startswith(f"{dialect}.")]


def _made(name: str, form: str, cases: str) -> Enumeration:
    base = IntFlag if "|" in cases else IntEnum
    pairs = [case.partition("|" if base is IntFlag else "=") for case in cases.split()]
    numbers = {symbol: int(rest.partition(":")[0]) for symbol, _, rest in pairs}
    texts = {int(number): text for number, _, text in (rest.partition(":") for _, _, rest in pairs)}
    members: Any = base(name.partition(".")[2], numbers)  # type: ignore[call-arg, arg-type]
    return Enumeration(name, form, members, MappingProxyType(texts))
