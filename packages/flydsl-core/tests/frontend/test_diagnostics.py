"""Errors of tracing with the user's line, the calls that led there, and why a helper was not rewritten."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.diagnostics import located


def test_an_error_gets_the_innermost_line_and_the_calls(load):
    module = load(
        """
        from flydsl.base.errors import FrontendError
        def inner():
            raise FrontendError("no")
        def outer():
            inner()
        """
    )
    with pytest.raises(FrontendError) as caught, located():
        module.outer()
    assert (caught.value.location.file, caught.value.location.line) == (module.__file__, 4)
    assert (module.__file__, 6) in [(place.file, place.line) for place in caught.value.callers]


def test_a_line_that_the_error_has_stays(load):
    module = load(
        """
        from flydsl.base.errors import FrontendError
        from flydsl.base.location import Location
        def f():
            error = FrontendError("no")
            error.location = Location("other.py", 9, 1)
            raise error
        """
    )
    with pytest.raises(FrontendError) as caught, located():
        module.f()
    assert caught.value.location.line == 9


def test_an_endless_recursion_names_the_functions(load):
    module = load(
        """
        def even(n):
            return odd(n - 1)
        def odd(n):
            return even(n - 1)
        """
    )
    message = "these calls never end while tracing: .*(even -> odd|odd -> even)"
    with pytest.raises(FrontendError, match=message) as caught, located():
        module.even(3)
    assert caught.value.location.file == module.__file__


def test_other_errors_pass_as_they_are():
    with pytest.raises(KeyError), located():
        raise KeyError("x")


def test_a_condition_in_plain_python_says_that_the_function_was_not_rewritten(emitted, load):
    module = load("def f(x):\n    return 1 if x > 0 else 2")

    def run(x):
        with located():
            return module.f(x)

    with pytest.raises(
        FrontendError, match="a Python condition .*f runs as plain Python: a function of Python called it"
    ):
        emitted(run, fx.Int32)
