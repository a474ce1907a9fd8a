"""The fields of record types that are written in brackets: `fx.Struct["left": fx.Int32, fx.Float32]`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from flydsl.base.errors import OperandError
from flydsl.base.location import user_location


def fields_in_brackets(owner: str, items: Any, reserved: Collection[str]) -> dict[str, Any]:
    """The types by name; those without one are `_0`, `_1`, ... by position.

    OperandError, a ValueError, for no fields and for names that occur twice, begin with an underscore or are reserved.
    """
    parts = items if isinstance(items, tuple) else (items,)
    if not parts:
        raise _error(owner, "has no fields")
    fields: dict[str, Any] = {}
    for index, part in enumerate(parts):
        name, kind = (part.start, part.stop) if isinstance(part, slice) else (f"_{index}", part)
        if isinstance(part, slice) and (not isinstance(name, str) or not name.isidentifier() or part.step is not None):
            raise _error(owner, f"takes fields as 'name': type, found {part!r}")
        if isinstance(part, slice) and (name.startswith("_") or name in reserved):
            raise _error(owner, f"has a reserved name {name!r}; rename the field")
        if name in fields:
            raise _error(owner, f"has two fields {name!r}")
        fields[name] = kind
    return fields


def _error(owner: str, text: str) -> OperandError:
    return OperandError(f"fx.{owner}[...] {text}", location=user_location())
