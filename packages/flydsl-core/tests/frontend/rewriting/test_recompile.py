"""The rewritten code of a function, its binding to a runtime, and its text."""

from __future__ import annotations

from flydsl.frontend.rewriting.recompile import bind, rewritten_code
from flydsl.frontend.rewriting.templates import RUNTIME


def clamped(value, limit=3, *, step=1):
    if value > limit:
        value = limit
    return value + step


class Recorder:
    """A runtime that takes both paths of no branch: it says what was asked."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        def ask(*args):
            self.asked.append(name)
            return (10,)

        return ask


def test_the_rewritten_code_asks_the_runtime_that_it_is_bound_to():
    code, runtime = rewritten_code(clamped), Recorder()
    assert RUNTIME in code.co_freevars
    assert bind(code, clamped, runtime)(5) == 11
    assert "if_" in runtime.asked
    assert clamped(5) == 4


def test_a_bound_function_keeps_name_and_defaults():
    function = bind(rewritten_code(clamped), clamped, Recorder())
    assert (function.__name__, function.__qualname__, function.__module__) == ("clamped", "clamped", __name__)
    assert (function.__defaults__, function.__kwdefaults__) == ((3,), {"step": 1})
