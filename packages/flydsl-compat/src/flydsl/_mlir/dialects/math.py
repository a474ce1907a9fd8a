"""The `math` dialect of MLIR: every operation as a class and as a function, and its enumerations."""

from __future__ import annotations

from typing import Any

from flydsl._mlir.building.dialect import lookup, names, star_names
from flydsl._mlir.building.unknown import refuse


def __getattr__(name: str) -> Any:
    """An operation or enumeration by its name in MLIR's bindings."""
    if name == "__all__":  # of a star import
        return star_names(names("math"))
    found = lookup("math", name)
    return found if found is not None else refuse(__name__, name, names("math"))


def __dir__() -> list[str]:
    return names("math")
