"""Classes that are specialised by indexing, as type checkers see them.

To a checker an index of a class is a type's parameter, and no value such as a block size: what a program indexes is an
object to it, whose items are classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from flydsl.expr.struct import Struct
    from flydsl.extension.coop.specialisation import Specialised


class Algorithm(Protocol):
    """A specialised class, which is called or has methods."""

    SharedStorage: type[Struct]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result of the algorithm."""

    def __getattr__(self, name: str) -> Any:
        """Methods and parameters."""


class Form(Protocol):
    """A class that is specialised by indexing."""

    def __getitem__(self, parameters: object, /) -> Algorithm:
        """The specialisation."""


def form(cls: type[Specialised]) -> Form:
    """The class itself."""
    return cls  # type: ignore[return-value]
