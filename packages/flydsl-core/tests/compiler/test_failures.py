"""Lines of errors: of the call, of the launch, and of what a toolchain's message points at."""

from __future__ import annotations

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import ArgumentError, RuntimeFailure
from flydsl.base.location import Location
from flydsl.compiler.failures import at_call, at_launch, diagnosed_location


@flyc.kernel
def one(x: fx.Tensor):
    x[0] = 1


@flyc.kernel
def two(x: fx.Tensor):
    x[0] = 2


def host(x: fx.Tensor):
    one(x).launch(grid=1, block=1)
    two(x).launch(grid=1, block=1)


FIRST_LAUNCH = host.__code__.co_firstlineno + 1


@pytest.fixture
def traced(fake_device):
    return flyc.jit(host).trace(np.zeros(4, np.int32))


def test_an_error_without_a_line_gets_that_of_the_call():
    with pytest.raises(ArgumentError) as caught, at_call():
        raise ArgumentError("no")
    assert caught.value.location.file == __file__
    error = ArgumentError("no")
    error.location = Location("x.py", 3)
    with pytest.raises(ArgumentError) as caught, at_call():
        raise error
    assert caught.value.location.line == 3


@pytest.mark.parametrize(("message", "line"), [("kernel 'one_0' fails", 0), ("kernel 'two_1' fails", 1)])
def test_a_failed_launch_points_at_the_launch_of_its_kernel(traced, message, line):
    with pytest.raises(RuntimeFailure) as caught, at_launch(lambda: traced):
        raise RuntimeFailure(message)
    assert caught.value.location.line == FIRST_LAUNCH + line
    assert [place.file for place in caught.value.callers] == [__file__]


def test_a_message_without_a_kernel_points_at_the_call_where_there_are_several(traced):
    with pytest.raises(RuntimeFailure) as caught, at_launch(lambda: traced):
        raise RuntimeFailure("out of memory")
    assert caught.value.location.line not in (FIRST_LAUNCH, FIRST_LAUNCH + 1)
    assert caught.value.callers == []


def test_a_trace_that_fails_leaves_the_message_as_it_was():
    def fail():
        raise ValueError("changed")

    with pytest.raises(RuntimeFailure, match="out of memory"), at_launch(fail):
        raise RuntimeFailure("out of memory")


def test_a_message_of_the_toolchain_points_by_place_or_by_kernel(traced):
    found = diagnosed_location(f"error: {__file__}:{FIRST_LAUNCH}:9: bad", traced.module)
    assert (found.file, found.line, found.column) == (__file__, FIRST_LAUNCH, 8)
    assert diagnosed_location("other.py:3:1: bad", traced.module) is None
    assert diagnosed_location("in function 'two_1': bad", traced.module).line < FIRST_LAUNCH
    assert diagnosed_location("bad", traced.module) is None
