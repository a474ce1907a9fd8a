"""Values that nobody has defined: they spread through arithmetic, and whoever decides by one gets an error.

A kernel may load what it never wrote, such as the lanes that a predicated copy left out, as long as nothing depends on
it. The idea is that of MemorySanitizer (Stepanov and Serebryany, CGO 2015).
"""

from __future__ import annotations

from typing import Any

from flydsl.base.errors import UninitializedReadError


class Poison:
    """An undefined value; `reason` says where it comes from, as the end of a sentence."""

    __slots__ = ("reason",)

    def __init__(self, reason: str = "an undefined value") -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return "poison"

    def _spread(self, *others: object) -> Poison:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _spread
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = _spread
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _spread
    __neg__ = __invert__ = __abs__ = _spread
    __lt__ = __le__ = __gt__ = __ge__ = _spread

    def __eq__(self, other: object) -> Any:
        return self

    def __ne__(self, other: object) -> Any:
        return self

    def __hash__(self) -> int:
        return id(self)

    def __bool__(self) -> bool:
        raise self.error("decides about a branch")

    def error(self, use: str) -> UninitializedReadError:
        """The error for what is done with the value: `use` is a verb with its object."""
        return UninitializedReadError(f"{use} by a value that is not defined: {self.reason}")


POISON = Poison()
"""Without a story of its own."""


def poison_of(*values: Any) -> Poison | None:
    """The first undefined value, also inside of vectors."""
    for value in values:
        if isinstance(value, Poison):
            return value
        if isinstance(value, list) and (found := poison_of(*value)) is not None:
            return found
    return None


def defined(value: Any, use: str) -> Any:
    """The value; UninitializedReadError when it is undefined."""
    found = poison_of(value)
    if found is not None:
        raise found.error(use)
    return value
