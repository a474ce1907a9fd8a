"""Accesses of elements below a limit that is known at run time, where there is one."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from flydsl.expr.numeric import Int32

if TYPE_CHECKING:
    from flydsl.expr.values.operand_types import IntLike


def load_below(index: Int32, limit: IntLike | None, source: Any, position: Int32, otherwise: Any) -> Any:
    """`source[position]` where `index` is below `limit` or that is None, else `otherwise`."""
    if limit is None:
        return source[position]
    return _rewritten()[0](index, Int32(limit), source, position, otherwise)


def store_below(index: Int32, limit: IntLike | None, target: Any, position: Int32, value: Any) -> None:
    """`target[position] = value` where `index` is below `limit` or that is None."""
    if limit is None:
        target[position] = value
    else:
        _rewritten()[1](index, Int32(limit), target, position, value)


def _load(index: Any, limit: Any, source: Any, position: Any, otherwise: Any) -> Any:
    value = otherwise
    if index < limit:
        value = source[position]
    return value


def _store(index: Any, limit: Any, target: Any, position: Any, value: Any) -> None:
    if index < limit:
        target[position] = value


@cache
def _rewritten() -> tuple[Any, Any]:
    from flydsl.compiler.ast_rewriter import ASTRewriter

    return ASTRewriter.transform(_load), ASTRewriter.transform(_store)
