"""Definitions of xDSL's operations and dataclasses, completed when they are first used.

Importing xDSL's dialects defines 240 operations; two of three parse the format of their text, half a millisecond each,
and a compilation neither reads nor prints such text. docs/explanation/decisions/deferred_definitions.md.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from flydsl.base.collector import CollectorPause
from flydsl.base.deferred_methods import deferred_methods

if TYPE_CHECKING:
    from xdsl.irdl import IRDLOperation, OpDef

_lock = threading.Lock()
_depth = 0


def import_deferred(modules: Iterable[str]) -> None:
    """Import `modules`; what they define is completed when it is used."""
    with CollectorPause(), deferred_definitions():
        for name in modules:
            import_module(name)


@contextmanager
def deferred_definitions() -> Iterator[None]:
    """Operations of xDSL that are defined inside parse their format at the first text; dataclasses defer methods."""
    global _depth
    with deferred_methods():
        from xdsl import irdl

        with _lock:
            _depth += 1
            irdl.irdl_op_definition = _define  # type: ignore[assignment]
        try:
            yield
        finally:
            with _lock:
                _depth -= 1
                if not _depth:
                    irdl.irdl_op_definition = irdl.operations.irdl_op_definition


def _define(cls: type[IRDLOperation]) -> type[IRDLOperation]:
    """`irdl_op_definition`, without the format."""
    from xdsl.irdl.operations import OpDef, get_accessors_from_op_def

    definition = OpDef.from_pyrdl(cls)
    text, definition.assembly_format = definition.assembly_format, None
    accessors = get_accessors_from_op_def(definition, getattr(cls, "verify_", None))
    definition.assembly_format = text
    if text is not None:
        accessors |= _deferred_format(cls, definition)
    for name, value in accessors.items():
        setattr(cls, name, value)
    return cls


def _deferred_format(cls: type[IRDLOperation], definition: OpDef) -> dict[str, Any]:
    """`parse` and `print` of an operation with a format, which they replace by the ones made of the format."""

    def complete() -> None:
        from xdsl.irdl.operations import get_accessors_from_op_def

        made = get_accessors_from_op_def(definition, None)
        for name in ("parse", "print"):
            setattr(cls, name, made[name])

    def parse(owner: Any, parser: Any) -> Any:
        complete()
        return cls.__dict__["parse"].__func__(owner, parser)

    def print(self: Any, printer: Any) -> None:
        complete()
        cls.__dict__["print"](self, printer)

    return {"parse": classmethod(parse), "print": print}
