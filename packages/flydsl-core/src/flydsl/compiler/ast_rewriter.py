"""The rewriting of control flow, as a class that other kernels name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flydsl.base.other_versions import other_name
from flydsl.compiler.stages.transformed_function import TransformedFunction
from flydsl.frontend.rewriting.source import REWRITTEN_FROM, python_function

_F = TypeVar("_F", bound=Callable[..., object])


class ASTRewriter:
    """`ASTRewriter.transform(helper)`: what kernels do by themselves with the helpers that they call."""

    @staticmethod
    def transform(function: _F) -> _F:
        """The function with `if`, `for` and `while` on values of the device rewritten as in kernels.

        FlyDSLError for a function without a readable source or with what cannot be traced.
        """
        original = python_function(function)
        made = TransformedFunction(original)()
        setattr(made, REWRITTEN_FROM, original)
        return made  # type: ignore[no-any-return]


def __getattr__(name: str) -> Any:
    """A name of other versions."""
    return other_name(__name__, name)
