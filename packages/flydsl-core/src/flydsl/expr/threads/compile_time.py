"""Compile-time arguments, conditions and ranges: what stays in Python while tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar, get_origin, overload

from flydsl.base.errors import FrontendError

__all__ = ["Constexpr", "const_expr", "range_constexpr"]

T = TypeVar("T")


if TYPE_CHECKING:  # to a type checker the parameter is what it holds
    from flydsl.expr.numeric import Boolean
    from flydsl.expr.values.operand_types import IntLike

    Constexpr: TypeAlias = Annotated[T, "part of the code"]
else:

    class Constexpr(Generic[T]):
        """Annotation (`fx.Constexpr[int]`) of a parameter that is part of the code and never reaches the device."""

        is_specialized = False
        value = None
        value_type = None

        @staticmethod
        def is_constexpr_annotation(annotation: object) -> bool:
            """Whether a parameter with this annotation is part of the code."""
            return (get_origin(annotation) or annotation) is Constexpr

        @staticmethod
        def value_signature(value: object) -> tuple[type, object]:
            """What tells values apart that make different code: 0.0 from -0.0, and 1 from True."""
            return (type(value), repr(value) if isinstance(value, float) else value)


@overload
def const_expr(x: Boolean) -> bool: ...
@overload
def const_expr(x: T) -> T: ...
def const_expr(x: object) -> object:
    """`x`, a condition, as a Python value; the `if` around it stays Python. Raises when it is dynamic."""
    if not getattr(x, "is_static", True):
        raise FrontendError(f"const_expr needs a value known while tracing, found {x!r}; use a plain if")
    return getattr(x, "value", x)


def range_constexpr(*args: IntLike) -> range:
    """`range` over values known while tracing; the loop is unrolled."""
    bounds = []
    for arg in args:
        if not getattr(arg, "is_static", True):
            raise FrontendError(
                f"range_constexpr needs bounds known while tracing, found {arg!r}; use range for a loop"
            )
        bounds.append(arg.__index__() if hasattr(arg, "__index__") else arg)
    return range(*bounds)
