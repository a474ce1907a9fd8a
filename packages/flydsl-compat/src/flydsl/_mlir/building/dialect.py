"""The names of a dialect's module: classes, functions and enumerations from the tables."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from functools import cache

from flydsl._mlir.building.builders import operation_class, operation_function
from flydsl._mlir.building.enumerations import enumerations
from flydsl._mlir.building.operations import by_class, by_function


@cache
def lookup(dialect: str, name: str) -> object:
    """The class, function or enumeration called `name`; None when the dialect has no such name."""
    if (signature := by_class(dialect).get(name)) is not None:
        return operation_class(signature)
    if (signature := by_function(dialect).get(name.rstrip("_"))) is not None:
        return operation_function(signature, name)
    enumeration = enumerations(dialect).get(name)
    return None if enumeration is None else enumeration.members


def star_names(known: Iterable[str]) -> list[str]:
    """What a star import takes of these names: it must not hide Python's own."""
    return [name for name in known if not hasattr(builtins, name)]


def names(dialect: str) -> list[str]:
    """All names of a dialect."""
    found: list[Mapping[str, object]] = [by_class(dialect), by_function(dialect), enumerations(dialect)]
    return sorted({name for table in found for name in table})
