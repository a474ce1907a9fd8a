"""Accesses of elements below a limit that is known at run time."""

from __future__ import annotations

from functools import cache
from typing import Any

from flydsl.expr.numeric import Int32


def load_below(index: Int32, limit: Int32, source: Any, position: Int32, otherwise: Any) -> Any:
    """`source[position]` where `index` is below `limit`, else `otherwise`."""
    return _rewritten()[0](index, limit, source, position, otherwise)


def store_below(index: Int32, limit: Int32, target: Any, position: Int32, value: Any) -> None:
    """`target[position] = value` where `index` is below `limit`."""
    _rewritten()[1](index, limit, target, position, value)


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
