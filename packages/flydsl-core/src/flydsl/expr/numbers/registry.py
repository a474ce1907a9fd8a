"""The numeric types of the language by name, and by the MLIR type of their values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from functools import cache
from typing import TYPE_CHECKING, TypeGuard

from flydsl.base.errors import FrontendError

if TYPE_CHECKING:
    from xdsl.ir import Attribute, SSAValue

    from flydsl.expr.numbers.base import Numeric

_TYPES: dict[str, type[Numeric]] = {}


def register(kinds: Iterable[type[Numeric]]) -> None:
    """Make concrete numeric types known by their names."""
    _TYPES.update((kind.__name__, kind) for kind in kinds)


def named(name: str) -> type[Numeric]:
    """The numeric type called `name`, as in `named("Int32")`: for code below the module that defines the types."""
    return _TYPES[name]


def numeric_types() -> tuple[type[Numeric], ...]:
    """The concrete numeric types."""
    return tuple(_TYPES.values())


@cache
def numeric_by_type() -> dict[Attribute, type[Numeric]]:
    """The signed numeric type of each MLIR scalar type."""
    from flydsl.expr.numbers.mlir_types import scalar_type

    return {scalar_type(kind.mlir_name): kind for kind in numeric_types() if not kind.__name__.startswith("Uint")}


def as_dtype(kind: object) -> type[Numeric]:
    """A numeric type given as itself or as its MLIR type; FrontendError for anything else."""
    dtype = numeric_by_type().get(kind, kind) if isinstance(kind, Hashable) else kind  # type: ignore[call-overload]
    if isinstance(dtype, type) and _TYPES.get(dtype.__name__) is dtype:
        return dtype  # type: ignore[return-value]
    raise FrontendError(f"a numeric type such as fx.Float16 is needed, found {kind!r}")


def is_ssa_value(value: object) -> TypeGuard[SSAValue]:
    """Whether it is an SSA value itself, as raw bindings give them."""
    from xdsl.ir import SSAValue

    return isinstance(value, SSAValue)


def numeric_of_value(value: object) -> type[Numeric] | None:
    """The numeric type of an SSA value, None when it is not a scalar of the language."""
    return numeric_by_type().get(value.type) if is_ssa_value(value) else None
