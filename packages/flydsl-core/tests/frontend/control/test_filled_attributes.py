"""Attributes that objects fill on first use: empty after a region, and None after the trace."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl.base.errors import FrontendError
from flydsl.frontend.control.containers import Containers
from flydsl.frontend.control.filled_attributes import Emptied, is_known


class Tiler:
    def __init__(self):
        self.width, self.flag, self.value = None, None, None

    def columns(self):
        if self.width is None:
            self.width = [4, (fx.Float32, "row")]
        return self.width[0]

    def first(self, x):
        if self.value is None:
            self.value = x[0]
        return self.value

    def seen(self):
        if self.flag is None:
            self.flag = True


def in_a_loop(tiler, x, y):
    for i in range(x.shape[0]):
        y[i] = tiler.columns()
    y[0] = tiler.columns()


def in_two_branches(tiler, x, y):
    if x[0] > 1.0:
        y[0] = tiler.columns()
    else:
        y[1] = tiler.columns()


def read_after_a_branch(tiler, x, y):
    if x[0] > 1.0:
        tiler.columns()
    y[0] = tiler.width[0]


def asked_after_a_branch(tiler, x, y):
    if x[0] > 1.0:
        tiler.columns()
    y[0] = 1.0 if tiler.width is None else 2.0


def a_value_of_the_device(tiler, x, y):
    for i in range(x.shape[0]):
        y[i] = tiler.first(x)


def a_flag(tiler, x, y):
    for _ in range(x.shape[0]):
        tiler.seen()


def traced(body, tiler):
    @flyc.kernel
    def kernel(x: fx.Tensor, y: fx.Tensor):
        body(tiler, x, y)

    @flyc.jit
    def launch(x: fx.Tensor, y: fx.Tensor):
        kernel(x, y).launch(grid=1, block=1)

    x = np.zeros(4, np.float32)
    return launch.trace(x, x).text


@pytest.mark.parametrize("body", [in_a_loop, in_two_branches])
@pytest.mark.usefixtures("fake_device")
def test_what_is_known_while_tracing_may_be_filled_in(body):
    tiler = Tiler()
    assert "4.0" in traced(body, tiler).replace("4.000000e+00", "4.0")
    assert not isinstance(tiler.width, Emptied)


@pytest.mark.parametrize("body", [read_after_a_branch, asked_after_a_branch])
@pytest.mark.usefixtures("fake_device")
def test_what_a_branch_may_not_have_filled_is_not_read(body):
    tiler = Tiler()
    with pytest.raises(FrontendError, match=r"the attribute tiler\.width was filled in a dynamic branch or loop"):
        traced(body, tiler)
    assert tiler.width is None


@pytest.mark.parametrize(("body", "name"), [(a_value_of_the_device, "value"), (a_flag, "flag")])
@pytest.mark.usefixtures("fake_device")
def test_values_of_the_device_and_flags_are_refused(body, name):
    with pytest.raises(FrontendError, match=f"tiler.{name} changes in a dynamic branch or loop"):
        traced(body, Tiler())


def test_an_attribute_that_had_a_value_is_watched_as_before():
    tiler = Tiler()
    tiler.width = 3
    held = Containers(["tiler"], [tiler])
    tiler.width = 4
    with pytest.raises(FrontendError, match=r"tiler\.width changes"):
        held.take()


def test_what_is_known(emitted):
    known = [1, "a", None, fx.Int32, fx.Int32(3), (1, [2.0, {"a": Tiler()}]), SimpleNamespace(a=1), test_what_is_known]
    assert all(map(is_known, known))
    around = Tiler()
    around.value = around
    assert is_known(around)

    def run(x):
        holder = Tiler()
        holder.value = {"deep": (x,)}
        return [is_known(one) for one in (x, [x], holder, SimpleNamespace(a=x), x.ir_value(), holder.first)]

    assert emitted(run, fx.Int32).result == [False] * 6
