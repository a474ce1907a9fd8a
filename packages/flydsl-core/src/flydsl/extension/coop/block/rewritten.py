"""Functions of the library whose `if` and `while` on values of the device are rewritten as in kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., object])


def rewritten(function: F) -> F:
    """The rewritten function, made when it is first used."""
    made: F = _rewritten(function)
    return made


@cache
def _rewritten(function: Callable[..., object]) -> Any:
    from flydsl.compiler.ast_rewriter import ASTRewriter

    return ASTRewriter.transform(function)
