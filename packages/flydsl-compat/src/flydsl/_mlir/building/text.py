"""Types and attributes from MLIR's text, those of installed backends' dialects too."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from flydsl.base.errors import IRError

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.ir import Attribute


def parse(text: str) -> Attribute:
    """The type or attribute; ValueError, as MLIR's bindings raise it, for text that is none."""
    from flydsl.backend.text import parse_type

    try:
        return parse_type(text, _context())
    except IRError as error:
        raise ValueError(f"{text!r} is neither a type nor an attribute: {error}") from None


@cache
def _context() -> Context:
    """Knows the dialects of backends; an attribute that nobody here knows stays text, which MLIR reads."""
    from flydsl.backend.text import installed

    return installed().context(allow_unregistered=True)
