"""Words that keep a value or a loop in Python: compile-time arguments, conditions and ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeAlias, TypeVar

from flydsl.base.errors import FrontendError

__all__ = ["Constexpr", "const_expr", "range_constexpr"]

T = TypeVar("T")


if TYPE_CHECKING:  # to a type checker the parameter is what it holds
    Constexpr: TypeAlias = Annotated[T, "part of the code"]
else:

    class Constexpr(Generic[T]):
        """Annotation (`fx.Constexpr[int]`) of a parameter that is part of the code and never reaches the device."""


class const_expr:  # noqa: N801 - the language's word, used like a function
    """`const_expr(condition)`: the condition is a Python value, and the `if` around it stays Python."""

    def __new__(cls, condition: Any) -> Any:
        """`condition` itself, as a Python value; raises when it is dynamic."""
        if getattr(condition, "is_static", True) is False:
            raise FrontendError(f"const_expr needs a value known while tracing, found {condition!r}; use a plain if")
        return getattr(condition, "value", condition)


def range_constexpr(*args: Any) -> range:
    """`range` over values known while tracing; the loop is unrolled."""
    bounds = []
    for arg in args:
        if getattr(arg, "is_static", True) is False:
            raise FrontendError(
                f"range_constexpr needs bounds known while tracing, found {arg!r}; use range for a loop"
            )
        bounds.append(arg.__index__() if hasattr(arg, "__index__") else arg)
    return range(*bounds)
