"""A helper that is rewritten by name."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import UnsupportedConstructError
from flydsl.compiler.ast_rewriter import ASTRewriter


def relu(x):
    if x > 0.0:
        return x
    return fx.Float32(0.0)


def generator(x):
    yield x


def test_a_helper_takes_values_of_the_device(emitted) -> None:
    rewritten = ASTRewriter.transform(relu)
    assert emitted(rewritten, fx.Float32).result.dtype is fx.Float32
    assert rewritten(3.0) == 3.0


def test_what_cannot_be_traced_is_refused() -> None:
    with pytest.raises(UnsupportedConstructError, match="yield cannot be traced"):
        ASTRewriter.transform(generator)


def test_a_rewritten_helper_is_read_as_the_function_that_it_was_made_of() -> None:
    from flydsl.cache.dependencies import dependencies

    rewritten = ASTRewriter.transform(relu)

    def kernel(x: object) -> object:
        return rewritten(x)

    found = dependencies(kernel)
    assert found.unguarded == ""
    assert found.indexable
