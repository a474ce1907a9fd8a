"""`try` in traced code: what Python does with it, and what it cannot catch."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.exceptions import check_caught, mark_left
from flydsl.frontend.rewriting.rewrite import rewrite

TABLE = {"a": 3}


def looked_up(name, x):
    try:
        factor = TABLE[name]
    except KeyError as error:
        factor = len(error.args[0])
    else:
        x = x + 100
    finally:
        x = x + 1
    return x * factor


def test_a_handler_else_and_finally_run_as_python_runs_them(computed):
    known = computed(rewrite(lambda_free("a")), fx.Int32)
    assert known(5) == (5 + 101) * 3
    assert computed(rewrite(lambda_free("four")), fx.Int32)(5) == (5 + 1) * 4


def lambda_free(name):
    def run(x):
        return looked_up(name, x)

    return run


def returning(name, x):
    try:
        if x > 0:
            return TABLE[name] * x
    except KeyError:
        return x - 1
    else:
        x = x * 1000
    return x


def test_returns_within_it_may_be_dynamic(computed):
    def run(x):
        return returning("a", x)

    traced = computed(rewrite(run), fx.Int32)
    assert (traced(5), traced(-5)) == (15, -5000)


@pytest.mark.parametrize("error", [KeyError, Exception, BaseException, None])
def test_what_a_dynamic_branch_raises_is_not_caught(emitted, error):
    def run(x):
        try:
            if x > 0:
                x = x + TABLE["missing"]
        except error:
            x = x + 2
        return x

    def bare(x):
        try:
            if x > 0:
                x = x + TABLE["missing"]
        except:  # noqa: E722
            x = x + 2
        return x

    with pytest.raises(
        FrontendError, match=r"try cannot catch what a dynamic branch or loop raises \(KeyError: 'missing'"
    ):
        emitted(rewrite(bare if error is None else run), fx.Int32)


def test_errors_of_tracing_in_a_branch_are_not_caught(emitted):
    def run(x):
        try:
            for i in range(x):
                x = x + fx.Vector.filled((2, -1), i, fx.Int32)
        except Exception:
            x = fx.Int32(0)
        return x

    with pytest.raises(FrontendError):
        emitted(rewrite(run), fx.Int32)


def test_what_is_raised_and_caught_within_a_branch_is_pythons(computed):
    def run(x):
        if x > 0:
            try:
                x = x * TABLE["missing"]
            except KeyError:
                x = x * 7
        return x

    traced = computed(rewrite(run), fx.Int32)
    assert (traced(2), traced(-2)) == (14, -2)


def test_loops_are_left_from_within_it(computed):
    def run(x):
        for name in ("b", "a", "c"):
            try:
                x = x + TABLE[name]
                break
            except KeyError:
                continue
        for i in range(x):
            try:
                if i > 2:
                    break
                x = x + 10
            except KeyError:
                x = x * 0
        return x

    assert computed(rewrite(run), fx.Int32)(5) == 5 + 3 + 30


def test_a_kernel_that_looks_for_a_feature():
    @flyc.kernel
    def fill(x: fx.Tensor):
        try:
            value = fx.no_such_function(3)
        except AttributeError:
            value = fx.Float32(4.0)
        x[fx.thread_idx.x] = value

    @flyc.jit
    def run(x: fx.Tensor):
        fill(x).launch(grid=1, block=8)

    x = np.zeros(8, np.float32)
    flyc.interpret(run)(x)
    assert set(x) == {4.0}


def test_a_mark_makes_an_exception_uncatchable():
    check_caught()
    for error in (ValueError("plain"), FrontendError("ours")):
        try:
            raise error
        except Exception as caught:
            check_caught()
            mark_left(caught)
            with pytest.raises(FrontendError, match=r"ValueError: plain|ours"):
                check_caught()
