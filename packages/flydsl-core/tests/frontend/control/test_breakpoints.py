"""`breakpoint()` in traced code: the user's variables as expressions of the values at run time."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import patch

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.rewriting.rewrite import rewrite


def stops(x):
    label, pair, table = "a", (1, x), {"k": x + 1}
    space = SimpleNamespace(n=None)
    if x > 0:
        inner = x * 2
        breakpoint()
    return label, pair, table, space, inner


def test_code_that_is_compiled_cannot_stop(emitted):
    with pytest.raises(FrontendError, match=r"breakpoint\(\) stops a thread of the interpreter, and this is compiled"):
        emitted(rewrite(stops), fx.Int32)


def test_variables_of_the_function_are_shown_and_those_of_the_rewriting_are_not(emitted):
    def function(x):
        label, pair, space = "a", (1, x), SimpleNamespace(n=None)
        if x > 0:
            inner = x * 2
            flag = x > 5
            breakpoint()
            x = inner if flag else x
        return label, pair, space, x

    with patch("flydsl.frontend.control.breakpoints.is_interpreted", return_value=True):
        run = emitted(rewrite(function), fx.Int32)
    (op,) = [op for op in run.ops if '"fly.breakpoint"' in op]
    for shown in ("label = \"'a'\"", 'pair = "(1, v[', "SimpleNamespace(**{'n': None})", 'flag = "bool(v[', "inner"):
        assert shown in op
    assert "__flydsl" not in op
