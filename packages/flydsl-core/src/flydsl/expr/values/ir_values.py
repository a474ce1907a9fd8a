"""Conversions between values of the language and SSA values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flydsl.base.errors import FrontendError
from flydsl.expr.numeric import Numeric, as_numeric
from flydsl.expr.tracing.context import current

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import OperandLike

__all__ = ["as_dsl_value", "as_ir_value"]


def as_ir_value(value: OperandLike, *, keep_static: bool = False) -> Any:
    """The SSA value of a value of the language; a Python number becomes a constant of its default type.

    With `keep_static`, static values are not converted: a scalar is returned as a Python number, a layout unchanged. An
    SSA value is returned as it is. Raises FrontendError for anything else.
    """
    if isinstance(value, bool | int | float):
        return value if keep_static else as_numeric(value).ir_value()
    if keep_static and getattr(value, "is_static", False):
        return value.value if isinstance(value, Numeric) else value
    if hasattr(value, "ir_value"):
        return value.ir_value()
    if not hasattr(value, "type"):
        raise FrontendError(f"{value!r} has no IR value; pass a number, a value of the language or an SSA value")
    return value


def as_dsl_value(value: OperandLike, exemplar: Any = None) -> Any:
    """The value of the language that wraps an SSA value, or a Python number as a scalar.

    Its class is that of `exemplar`, which may be more precise than the IR type (unsigned types), or by default the one
    for the IR type.
    """
    if isinstance(value, bool | int | float):
        return as_numeric(value) if exemplar is None else type(exemplar)(value)
    if not hasattr(value, "type") or (exemplar is None and hasattr(value, "ir_value")):
        return value
    if exemplar is None:
        return current().box(value)  # type: ignore[arg-type]
    kind = exemplar if isinstance(exemplar, type) else type(exemplar)
    if not hasattr(kind, "__construct_from_ir_values__"):
        raise FrontendError(f"{exemplar!r} is not a value of the language")
    return exemplar.__construct_from_ir_values__([as_ir_value(value)])
