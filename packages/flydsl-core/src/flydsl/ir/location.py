"""Source locations on operations, as xDSL's location attributes."""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.builtin import (
    UNKNOWN_LOC,
    CallSiteLoc,
    FileLineColLoc,
    FusedLoc,
    IntAttr,
    LocationAttr,
    NameLoc,
    StringAttr,
)
from xdsl.ir import Attribute, Operation

from flydsl.base.errors import Diagnostic, IRError
from flydsl.base.location import Location


@lru_cache(maxsize=4096)
def to_attribute(location: Location | None) -> LocationAttr:
    """The attribute `loc("file":line:column)`, with MLIR's 1-based column; unknown for None."""
    if location is None:
        return UNKNOWN_LOC
    return FileLineColLoc(StringAttr(readable(location.file)), IntAttr(location.line), IntAttr(location.column + 1))


@lru_cache(maxsize=256)
def readable(file: str) -> str:
    """The name of a file as text: bytes of it that are no UTF-8 are written as `\\xe9`."""
    name = file.encode(errors="surrogateescape").decode(errors="backslashreplace")
    if name != file:
        _FILES[name] = file
    return name


_FILES: dict[str, str] = {}
"""Files by the names that they have in the IR, where those differ."""


def from_attribute(attribute: Attribute) -> Location | None:
    """The source position of a location attribute: of a nested one the first that has a file; None when none has."""
    if isinstance(attribute, FileLineColLoc):
        name = attribute.filename.data
        return Location(_FILES.get(name, name), attribute.line.data, max(0, attribute.column.data - 1))
    if isinstance(attribute, CallSiteLoc):
        return from_attribute(attribute.callee) or from_attribute(attribute.caller)
    if isinstance(attribute, NameLoc):
        return from_attribute(attribute.location)
    if isinstance(attribute, FusedLoc):
        parts = getattr(attribute.locations, "data", ())
        return next((found for part in parts if (found := from_attribute(part))), None)
    return None


def set_location(op: Operation, location: Location | None) -> None:
    """Say where in the user's source an operation comes from."""
    op.location = to_attribute(location)


def get_location(op: Operation) -> Location | None:
    """Where in the user's source an operation comes from, when known."""
    return from_attribute(op.location)


def located_error(message: str, location: Location | None) -> IRError:
    """An error about the IR that comes from `location`."""
    if location is None:
        return IRError(message, Diagnostic("error", message))
    diagnostic = Diagnostic("error", message, location.file, location.line, location.column + 1)
    return IRError(message, diagnostic, location=location)
