"""The operations of MLIR's `rocdl` dialect: their signatures, the chips that have them, and classes to emit them.

`rocdl_operations.tsv` is generated from the definitions of MLIR and LLVM (`scripts/generate_rocdl_operations.py`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from flydsl_rocm.target import TARGETS

if TYPE_CHECKING:
    from xdsl.ir import Operation

_TABLE = Path(__file__).with_name("rocdl_operations.tsv")
_ARGUMENT = re.compile(r"(\w+)([:#!=?])(.+)")


@dataclass(frozen=True, slots=True)
class Argument:
    """An operand or attribute: a type as in MLIR but for `v4f32` (vector), `p3` (pointer), `i*` (a vector, or not), and
    `f` and `*` (any float, any type)."""

    name: str
    kind: str
    """`:` an operand, `!` one that must be a constant, `#` such a one that may be left out, `=` an attribute, `?` one
    that may be left out."""
    type: str

    @property
    def is_operand(self) -> bool:
        """Whether it is an SSA value."""
        return self.kind in ":#!"

    @property
    def is_optional(self) -> bool:
        """Whether a call may leave it out: it is 0 then."""
        return self.kind in "#?"


@dataclass(frozen=True, slots=True)
class Signature:
    """An operation. `result` is a type as of arguments, `=name` for that of an operand, or nothing."""

    name: str
    arguments: tuple[Argument, ...]
    result: str
    is_pure: bool
    chips: frozenset[str]

    def __str__(self) -> str:
        words = [f"{a.name}=0" if a.is_optional else f"{a.name}: {a.type}" for a in self.arguments]
        return f"{python_name(self.name)}({', '.join(words)})" + (f" -> {self.result}" if self.result else "")


def python_name(name: str) -> str:
    """`cvt.pk.fp8.f32` as Python has it."""
    return name.replace(".", "_")


@cache
def signatures() -> Mapping[str, Signature]:
    """Every operation by its name without the dialect's."""
    rows = _TABLE.read_text().splitlines()[1:]
    return MappingProxyType({signature.name: signature for signature in map(_parse, rows)})


@cache
def by_python_name() -> Mapping[str, Signature]:
    """The same by the name that `fx.rocdl` has for it."""
    return MappingProxyType({python_name(name): signature for name, signature in signatures().items()})


@cache
def operation_class(name: str) -> type[Operation]:
    """The class of `rocdl.<name>`.

    Those without `pure` in MLIR are neither shared nor moved: what they do depends on which threads are active.
    """
    from flydsl.backend.dialect import upstream_op

    return upstream_op(f"rocdl.{name}", pure=signatures()[name].is_pure)


def _parse(row: str) -> Signature:
    name, arguments, result, pure, chips = row.split("\t")
    having = TARGETS if chips == "all" else chips.split()
    matches = [_ARGUMENT.fullmatch(argument) for argument in arguments.split()]
    return Signature(name, tuple(Argument(*m.groups()) for m in matches if m), result, bool(pure), frozenset(having))
