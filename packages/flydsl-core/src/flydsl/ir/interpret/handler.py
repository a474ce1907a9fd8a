"""Handlers of interpreted operations: what one thread does with the operands of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Attribute, Operation

from flydsl.base.errors import UninitializedReadError
from flydsl.ir.fly.attributes import as_python
from flydsl.ir.interpret.poison import poison_of

Action = Callable[..., Any]
"""(thread, *operands) -> the result, a tuple of several, or None."""

Handler = Callable[[Operation], Action]
"""Looks at an operation once, and gives what to do whenever a thread comes to it."""


def each(make: Callable[[Operation], Callable[..., Any]]) -> Handler:
    """A handler of an element-wise operation: `make` gives the function of scalars for the operation."""

    def handler(op: Operation) -> Action:
        one = guarded(make(op))
        if isinstance(op.results[0].type, VectorType):
            return lambda thread, *vectors: [one(*lanes) for lanes in zip(*vectors, strict=True)]
        return lambda thread, *scalars: one(*scalars)

    return handler


def guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, and an undefined value from undefined values."""

    def apply(*values: Any) -> Any:
        try:
            return function(*values)
        except (TypeError, UninitializedReadError):
            found = poison_of(*values)
            if found is None:
                raise
            return found

    return apply


def scalar_type(type_: Attribute) -> Attribute:
    """The type itself, or that of a vector's elements."""
    return type_.element_type if isinstance(type_, VectorType) else type_


def numbers_of(op: Operation, name: str) -> tuple[int, ...]:
    """The numbers of an array attribute."""
    attribute = op.get_attr_or_prop(name)
    assert attribute is not None, f"{op.name} has no {name}"
    found = as_python(attribute)
    assert isinstance(found, tuple)
    return found
