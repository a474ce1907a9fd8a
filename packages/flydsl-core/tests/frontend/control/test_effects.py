"""Side effects in traced code: assertions go to the device, `print` and `raise` in branches are refused."""

from __future__ import annotations

import pytest

import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.rewriting.rewrite import rewrite


def test_a_dynamic_assertion_prints_its_line_and_stops(emitted):
    def check(x):
        assert x > 0, "x is {}"
        return x

    run = emitted(rewrite(check), fx.Int32)
    assert run.names.count("scf.if") == 1
    assert "llvm.intr.trap" in run.names
    (line,) = [op for op in run.ops if "gpu.printf" in op or "fly.print" in op or "printf" in op]
    assert "assertion failed: x > 0: x is {{}}" in line
    assert "test_effects.py:" in line


def test_a_static_assertion_is_pythons(emitted):
    def check(x):
        assert fx.Int32(1) > 2, "static"
        return x

    with pytest.raises(AssertionError, match="static"):
        emitted(rewrite(check), fx.Int32)


@pytest.mark.parametrize("form", ["value", "text", "item"])
def test_printing_a_value_in_a_dynamic_branch_is_refused(emitted, capsys, form):
    def show(x):
        print("outside", x)
        if x > 0:
            if form == "value":
                print("inside", x)
            elif form == "text":
                print(f"inside {x}")
            else:
                print([1, (x, 2)])
        return x

    with pytest.raises(FrontendError, match="print runs while tracing, once for each branch and loop body"):
        emitted(rewrite(show), fx.Int32)
    assert capsys.readouterr().out == "outside Int32(?)\n"


def test_printing_in_a_dynamic_branch_what_is_known_happens_while_tracing(emitted, capsys):
    def show(x):
        if x > 0:
            print("positive", 3, fx.Int32(4), [1, "a"], sep="|")
        return x

    emitted(rewrite(show), fx.Int32)
    assert capsys.readouterr().out == "positive|3|Int32(4)|[1, 'a']\n"


def test_raising_in_a_dynamic_branch_is_refused(emitted):
    def fail(x):
        if x > 0:
            raise ValueError("too large")
        return x

    with pytest.raises(FrontendError, match=r"raise runs while tracing, .* \(ValueError: too large\)") as caught:
        emitted(rewrite(fail), fx.Int32)
    assert caught.value.location.file == __file__


def test_raising_outside_of_a_branch_is_pythons(emitted):
    def fail(x):
        raise ValueError("too large")

    with pytest.raises(ValueError, match="too large"):
        emitted(rewrite(fail), fx.Int32)


def test_an_error_of_a_function_that_a_branch_calls_passes(emitted):
    def fail(x):
        if x > 0:
            int("no number")
        return x

    with pytest.raises(ValueError, match="invalid literal"):
        emitted(rewrite(fail), fx.Int32)
