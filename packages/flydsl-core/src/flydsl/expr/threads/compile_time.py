"""Compile-time arguments, conditions and ranges, which Python evaluates while tracing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Generic, TypeAlias, TypeVar, get_origin, overload

from flydsl.base.errors import FrontendError

__all__ = ["Constexpr", "const_expr", "range_constexpr"]

T = TypeVar("T")


if TYPE_CHECKING:  # to a type checker the parameter is its value
    from flydsl.expr.numeric import Boolean
    from flydsl.expr.values.operand_types import IntLike

    Constexpr: TypeAlias = Annotated[T, "part of the code"]
else:

    class Constexpr(Generic[T]):
        """Annotation (`fx.Constexpr[int]`) of a compile-time parameter: each value compiles code of its own."""

        is_specialized = False
        value = None
        value_type = None

        @staticmethod
        def is_constexpr_annotation(annotation: object) -> bool:
            """Whether a parameter with this annotation is a compile-time parameter."""
            return (get_origin(annotation) or annotation) is Constexpr

        @staticmethod
        def value_signature(value: object) -> tuple[type, object]:
            """A key that differs for values that compile to different code: 0.0 and -0.0, 1 and True."""
            return (type(value), repr(value) if isinstance(value, float) else value)


@overload
def const_expr(x: Boolean) -> bool: ...
@overload
def const_expr(x: T) -> T: ...
def const_expr(x: object) -> object:
    """The condition `x` as a Python value, so that its `if` stays Python. Raises FrontendError if `x` is dynamic."""
    if not getattr(x, "is_static", True):
        raise FrontendError(f"const_expr needs a value known while tracing, found {x!r}; use a plain if")
    return getattr(x, "value", x)


def range_constexpr(*args: IntLike) -> range:
    """`range` with bounds known while tracing; the loop is unrolled. Raises FrontendError if a bound is dynamic."""
    bounds = []
    for arg in args:
        if not getattr(arg, "is_static", True):
            raise FrontendError(
                f"range_constexpr needs bounds known while tracing, found {arg!r}; use range for a loop"
            )
        bounds.append(arg.__index__() if hasattr(arg, "__index__") else arg)
    return range(*bounds)
