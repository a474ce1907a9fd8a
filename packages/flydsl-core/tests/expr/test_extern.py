"""External functions before they are called."""

from __future__ import annotations

from typing import Any

import pytest

from flydsl.base.errors import ArgumentError
from flydsl.expr.extern import ExternFunction, ffi


def test_a_function_is_its_symbol_and_types() -> None:
    function = ffi("scale", ["float32", "int32"], "float32", is_pure=True)
    assert function == ExternFunction("scale", ("float32", "int32"), "float32", True)
    assert function.__cache_signature__() != ffi("scale", ["float32", "int32"], "float32").__cache_signature__()
    assert "bitcode" not in repr(function)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("not a name", []), "has the name of a symbol, found 'not a name'"),
        ((5, []), "has the name of a symbol, found 5"),
        (("f", "int32"), "types are names such as 'int32', found 'int32'"),
        (("f", [int]), "types are names"),
    ],
)
def test_what_is_no_symbol_or_type_is_refused(arguments: Any, words: str) -> None:
    with pytest.raises(ArgumentError, match=words):
        ffi(*arguments)
