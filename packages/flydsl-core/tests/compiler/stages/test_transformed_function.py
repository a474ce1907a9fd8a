"""Functions are rewritten once, and again when their code or defaults are others."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from flydsl.compiler.stages.transformed_function import TransformedFunction

SOURCE = """
    def f(x=1, *, y=1):
        return x + y

    def other(x=1, *, y=1):
        return x * 10 + y
"""


@pytest.mark.parametrize(
    ("change", "result"),
    [
        (lambda m: setattr(m.f, "__code__", m.other.__code__), 11),
        (lambda m: setattr(m.f, "__defaults__", (5,)), 6),
        (lambda m: setattr(m.f, "__kwdefaults__", {"y": 7}), 8),
    ],
)
def test_a_changed_function_is_rewritten_again(load: Callable[..., ModuleType], change: Any, result: int) -> None:
    module = load(SOURCE)
    rewritten = TransformedFunction(module.f)
    assert rewritten() is rewritten()
    assert rewritten()() == 2
    change(module)
    assert rewritten()() == result


def test_forgotten_it_is_made_anew(load: Callable[..., ModuleType]) -> None:
    rewritten = TransformedFunction(load(SOURCE).f)
    first = rewritten()
    rewritten.forget()
    assert rewritten() is not first
