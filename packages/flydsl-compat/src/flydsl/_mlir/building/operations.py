"""The operations of MLIR's dialects: their arguments in MLIR's order, and how their results follow.

`operations.tsv` is generated from MLIR's definitions (`scripts/generate_mlir_operations.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

_TABLE = Path(__file__).parents[1] / "operations.tsv"
_ARGUMENT = re.compile(r"(\w+)(\?:|\*\*|\*|:|=|\?)([\w-]*!?)")


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand or attribute of an operation."""

    name: str
    kind: str
    """`:` an operand, `?:` one that may be left out, `*` a list of them, `**` a list of lists; `=` an attribute, `?`
    one that may be left out."""
    type: str
    """Of an attribute, as `i64` or `AtomicOrdering`; with `!`, one that is written even when it is left out."""

    @property
    def is_operand(self) -> bool:
        """Whether it is SSA values."""
        return self.kind in (":", "?:", "*", "**")

    @property
    def is_list(self) -> bool:
        """Whether it is several values."""
        return self.kind.startswith("*")

    @property
    def is_optional(self) -> bool:
        """Whether a call by position passes it over until all others have been given."""
        return self.kind in ("?", "?:")


@dataclass(frozen=True, slots=True)
class Signature:
    """An operation; `result` has a rule for each result, see `results.py`."""

    name: str
    class_name: str
    arguments: tuple[Argument, ...]
    result: str
    is_pure: bool

    @property
    def dialect(self) -> str:
        """The part of the name before the point."""
        return self.name.partition(".")[0]

    @property
    def rules(self) -> list[str]:
        """The rule of each result."""
        return list(self.result) if set(self.result) == {"*"} else self.result.split()

    @property
    def is_segmented(self) -> bool:
        """Whether the operation says how many operands each argument has."""
        return sum(argument.kind in ("?:", "*", "**") for argument in self.arguments) > 1

    def __str__(self) -> str:
        """As in a call, for messages."""
        words = [f"{a.name}=None" if a.is_optional else a.name for a in self.arguments]
        types = ["type"] if self.result.startswith("*") else []
        return f"{self.class_name}({', '.join([*types, *words])})"


@cache
def by_function(dialect: str) -> Mapping[str, Signature]:
    """The operations of a dialect by the names of their functions: `mlir_poison` for `llvm.mlir.poison`."""
    found = {_function_name(row.name): row for row in _signatures() if row.dialect == dialect}
    return MappingProxyType(found)


@cache
def by_class(dialect: str) -> Mapping[str, Signature]:
    """The operations of a dialect by the names of their classes: `LoadOp`."""
    return MappingProxyType({row.class_name: row for row in by_function(dialect).values()})


@cache
def _signatures() -> tuple[Signature, ...]:
    return tuple(map(_parse, _TABLE.read_text().splitlines()[1:]))


def _function_name(name: str) -> str:
    return name.partition(".")[2].replace(".", "_")


def _parse(row: str) -> Signature:
    name, class_name, arguments, result, pure = row.split("\t")
    matches = [_ARGUMENT.fullmatch(argument) for argument in arguments.split()]
    return Signature(name, class_name, tuple(Argument(*m.groups()) for m in matches if m), result, bool(pure))
